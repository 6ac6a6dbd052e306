#!/usr/bin/env python3
"""Reads a release as its users would, and exits 1 on the first kind of fault that it finds.

    load_release.py RELEASE_DIR

Every config is loaded by `datasets.load_dataset(RELEASE_DIR, name)` from the card alone, every image decoded, every row
group of every file read by pyarrow, and rows, sizes and hashes compared with the card and with manifest.json.
"""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("HF_HOME", tempfile.mkdtemp(prefix="hf-"))

import datasets
import pyarrow.parquet as parquet
import yaml
from datasets import Features, Image, List, load_dataset

ROW_GROUP_BYTES = 100_000_000

faults = []


def fault(message):
    faults.append(message)
    print(f"FAULT {message}")


def equal(what, found, expected):
    if found != expected:
        fault(f"{what}: {found!r}, expected {expected!r}")


def front_matter(release):
    text = (release / "README.md").read_text(encoding="utf-8")
    _, front, _ = text.split("---\n", 2)
    return yaml.safe_load(front)


def check_files(release, manifest):
    listed = {entry["path"]: entry for entry in manifest["files"]}
    there = {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}
    equal("files of the release", sorted(there - {"manifest.json"}), sorted(listed))
    for path, entry in listed.items():
        content = (release / path).read_bytes()
        equal(f"{path}: size", len(content), entry["byte_count"])
        equal(f"{path}: sha256", hashlib.sha256(content).hexdigest(), entry["sha256"])


def check_row_groups(release, config, features):
    """Reads each row group on its own, as a viewer does. Returns the number of row groups and the largest one."""
    groups = largest = 0
    schemas = set()
    for split in config["splits"]:
        rows = decoded = 0
        for path in split["files"]:
            file = parquet.ParquetFile(release / path)
            # A file must say by itself what is an image: whoever loads it without the card sees the metadata of the schema.
            declared = json.loads((file.schema_arrow.metadata or {}).get(b"huggingface", b"{}")).get("info", {})
            equal(f"{path}: declared features", Features.from_dict(declared.get("features", {})), features)
            equal(f"{path}: features as datasets sees them", Features.from_arrow_schema(file.schema_arrow), features)
            schemas.add(file.schema_arrow.remove_metadata().to_string())
            for index in range(file.num_row_groups):
                table = file.read_row_group(index)
                rows += table.num_rows
                size = sum(column.nbytes for column in table.columns)
                decoded += size
                largest = max(largest, size)
                if size > ROW_GROUP_BYTES and table.num_rows > 1:
                    fault(f"{path}: row group {index} takes {size} bytes")
                groups += 1
        equal(f"{config['name']}/{split['name']}: rows in the files", rows, split["row_count"])
        if abs(decoded - split["decoded_bytes"]) > 0.02 * decoded + 4096:
            fault(f"{config['name']}/{split['name']}: {decoded} decoded bytes, the manifest says {split['decoded_bytes']}")
    equal(f"{config['name']}: number of different schemas", len(schemas), 1)
    return groups, largest


def image_columns(features):
    """Names of the columns that hold images, alone or in a list."""
    for name, feature in features.items():
        if isinstance(feature, Image) or (isinstance(feature, List) and isinstance(feature.feature, Image)):
            yield name


def check_config(release, config, info):
    name = config["name"]
    loaded = load_dataset(str(release), name)
    equal(f"{name}: splits", sorted(loaded), sorted(split["name"] for split in config["splits"]))
    card_splits = {split["name"]: split for split in info["splits"]}
    images = 0
    for split in config["splits"]:
        rows = loaded[split["name"]]
        place = f"{name}/{split['name']}"
        equal(f"{place}: rows", rows.num_rows, split["row_count"])
        equal(f"{place}: rows in the card", card_splits[split["name"]]["num_examples"], split["row_count"])
        equal(f"{place}: bytes in the card", card_splits[split["name"]]["num_bytes"], split["decoded_bytes"])
        equal(f"{place}: features", rows.features, Features._from_yaml_list(info["features"]))
        for column in image_columns(rows.features):
            images += decode_images(place, rows, column)
        if name == "generation_frames":
            check_triples(place, rows)
        if name == "qa":
            check_questions(place, rows.remove_columns("images"), split["name"])
    equal(f"{name}: dataset_size", info["dataset_size"], sum(split["decoded_bytes"] for split in config["splits"]))
    sizes = sum((release / path).stat().st_size for split in config["splits"] for path in split["files"])
    equal(f"{name}: download_size", info["download_size"], sizes)
    return sum(split["row_count"] for split in config["splits"]), images


# Modes of the pictures that are no photographs.
MODES = {"depth": ("I;16",), "depth_view": ("L",), "segmentation": ("P",)}


def decode_images(place, rows, column):
    count = 0
    modes = MODES.get(column, ("RGB", "L"))
    for row in rows.select_columns([column]):
        pictures = row[column] if isinstance(row[column], list) else [row[column]]
        for picture in pictures:
            picture.load()
            if picture.mode not in modes or picture.getexif().get(274, 1) != 1:
                fault(f"{place}: {column} is {picture.mode}, EXIF orientation {picture.getexif().get(274)}")
            count += 1
    return count


def check_triples(place, rows):
    """The pictures of a frame have one size; indices are the values of its classes, and depth times its step is metres."""
    for row in rows:
        frame = f"{place}: {row['frame_id']}"
        size = (row["width"], row["height"])
        for column in ("image", "depth", "depth_view", "segmentation"):
            equal(f"{frame}: size of {column}", row[column].size, size)
        counts = dict(enumerate(row["segmentation"].histogram()))
        equal(f"{frame}: pixels by class", {value: count for value, count in counts.items() if count},
              {entry["value"]: entry["pixels"] for entry in row["classes"]})
        farthest = row["depth"].getextrema()[1] * row["depth_step_m"]
        if abs(farthest - row["depth_max_m"]) > row["depth_step_m"]:
            fault(f"{frame}: the farthest depth is {farthest} m, the row says {row['depth_max_m']} m")


def check_questions(place, rows, split):
    for row in rows:
        if row["options"]:
            right = [row["options"][index] for index in row["answer_indices"]]
            if len(right) == 1 and right[0] != row["answer"]:
                fault(f"{place}: {row['id']} answers {row['answer']!r} and marks {right[0]!r}")
        elif row["answer_indices"]:
            fault(f"{place}: {row['id']} marks options and has none")
        equal(f"{place}: {row['id']}: split", row["split"], split)
        json.loads(row["program"])


def main():
    datasets.disable_progress_bars()
    release = Path(sys.argv[1]).resolve()
    manifest = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    card = front_matter(release)
    check_files(release, manifest)
    infos = {info["config_name"]: info for info in card["dataset_info"]}
    equal("configs of the card", sorted(entry["config_name"] for entry in card["configs"]), sorted(infos))
    equal("configs of the manifest", sorted(entry["name"] for entry in manifest["configs"]), sorted(infos))
    for config in manifest["configs"]:
        groups, largest = check_row_groups(release, config, Features._from_yaml_list(infos[config["name"]]["features"]))
        rows, images = check_config(release, config, infos[config["name"]])
        print(f"{config['name']}: {rows} rows, {images} images decoded, {groups} row groups, largest {largest} bytes")
    default = [entry["config_name"] for entry in card["configs"] if entry.get("default")]
    equal("number of default configs", len(default), 1)
    equal("rows of the default config", load_dataset(str(release)).num_rows, load_dataset(str(release), default[0]).num_rows)
    print(f"{len(faults)} faults" if faults else "no faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
