#!/usr/bin/env python3
"""Benchmarks of uavgen against the tools that people use today, as ratios in one run on the same inputs.

    tests/bench/run.sh [TASK ...]        tasks: encode footage cut stitch headers ingest shards noop memory

Every task runs its tools in turn, round by round (ROUNDS, default 3), as whole processes, and reports medians. Only the
standard library is needed here; the peers need the environment that run.sh describes.
"""
import json, os, re, resource, shutil, statistics, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ["CARGO_TARGET_DIR"]) / "release"
UAVGEN = TARGET / "uavgen"
INPUTS = Path(os.environ["UAVBENCH"])
PEERS = Path(os.environ["UAVGEN_SHARED"]) / "bench"
PEER_PYTHON = os.environ.get("BENCHPY", "python3")
ROUNDS = int(os.environ.get("ROUNDS", "3"))
X264 = "keyint=15:min-keyint=15:scenecut=0:bframes=0:open-gop=0:threads=1:cpu-independent=1"


def run(command, cwd=None):
    """Wall seconds, CPU seconds and peak memory (MB) of a whole process, with what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.NamedTemporaryFile() as memory:
        start = time.perf_counter()
        done = subprocess.run(["/usr/bin/time", "-f", "%M", "-o", memory.name, *map(str, command)], cwd=cwd, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wall = time.perf_counter() - start
        peak = int(Path(memory.name).read_text().split()[-1]) / 1024
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return dict(wall=wall, cpu=cpu, peak=peak, out=done.stdout)


def rounds(tools):
    """Runs every tool in turn; {name: function} gives {name: medians and every wall time}."""
    runs = {name: [] for name in tools}
    for _ in range(ROUNDS):
        for name, tool in tools.items():
            runs[name].append(tool())
    return {name: dict({key: statistics.median(one[key] for one in all_runs) for key in ("wall", "cpu", "peak")},
                       walls=[one["wall"] for one in all_runs], last=all_runs[-1])
            for name, all_runs in runs.items()}


def table(title, measured, extra=None):
    print(f"\n### {title}\n")
    keys = sorted({key for row in (extra or {}).values() for key in row})
    print("| tool | wall s (min to max) | CPU s | peak MB |" + "".join(f" {key} |" for key in keys))
    print("|---|---|---|---|" + "---|" * len(keys))
    for name, m in measured.items():
        more = "".join(f" {(extra or {}).get(name, {}).get(key, '')} |" for key in keys)
        print(f"| {name} | {m['wall']:.2f} ({min(m['walls']):.2f} to {max(m['walls']):.2f}) | {m['cpu']:.2f} | {m['peak']:.0f} |{more}")


def ratio(measured, ours, peer, target):
    value = measured[peer]["wall"] / measured[ours]["wall"]
    print(f"\n{peer} / {ours} = **{value:.2f}** (wanted: at least {target})")


def project(folder, kind, source, extra=""):
    """A project over one source, without a release."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f'[project]\nname = "bench"\nseed = 7\n\n[[source]]\nname = "bench"\nkind = "{kind}"\npath = "{source}"\nsplit = "train"\n{extra}\n'
    (folder / "uavgen.toml").write_text(text)
    return folder


def build(folder, stage, jobs=2):
    return run([UAVGEN, "build", "--stage", stage, "-j", jobs, "-q"], cwd=folder)


def frames_folder():
    return next(path.parent for path in sorted((INPUTS / "frames").rglob("0000001.jpg")))


def encode(work):
    frames = frames_folder()
    ours, peer = work / "ours.mp4", work / "peer.mp4"
    tools = {
        "uavgen": lambda: (ours.unlink(missing_ok=True), run([TARGET / "examples/encode_sequence", frames, ours]))[1],
        "ffmpeg": lambda: run(["ffmpeg", "-v", "error", "-y", "-framerate", "15", "-i", frames / "%07d.jpg", "-c:v", "libx264",
                               "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", "-x264-params", X264,
                               "-movflags", "+faststart", peer]),
    }
    measured = rounds(tools)
    extra = {}
    for name, video in (("uavgen", ours), ("ffmpeg", peer)):
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                                "stream=nb_read_frames,color_range", "-of", "csv=p=0", video], capture_output=True, text=True).stdout.strip()
        shown = subprocess.run(["ffmpeg", "-v", "info", "-i", video, "-framerate", "15", "-i", str(frames / "%07d.jpg"), "-lavfi",
                                "[1:v]scale=in_range=full:out_range=tv,format=yuv420p[r];[0:v][r]psnr", "-f", "null", "-"],
                               capture_output=True, text=True).stderr
        psnr = re.search(r"average:([0-9.]+)", shown)
        extra[name] = dict(MB=f"{video.stat().st_size / 1e6:.2f}", PSNR=psnr.group(1) if psnr else "?", range_and_frames=probe)
    table("Encode 150 frames 1920x1080 to H.264, same x264 parameters", measured, extra)
    ratio(measured, "uavgen", "ffmpeg", 1.0)


def footage(work):
    source, peers = work / "films", work / "peers"
    source.mkdir()
    peers.mkdir()
    # As cameras make them: long groups, frames shown in another order than they are decoded in.
    films = {"avc.mp4": ["libx264"], "avc-10bit.mov": ["libx264", "-pix_fmt", "yuv420p10le"], "hevc.mkv": ["libx265", "-x265-params", "log-level=none"]}
    for name, codec in films.items():
        run(["ffmpeg", "-v", "error", "-y", "-framerate", "30", "-i", frames_folder() / "%07d.jpg", "-pix_fmt", "yuv420p", "-c:v", *codec,
             "-preset", "veryfast", "-crf", "18", "-g", "60", "-bf", "2", source / name])
    folder = project(work / "footage", "video", source)

    def ours():
        shutil.rmtree(folder / "store", ignore_errors=True)
        return build(folder, "video")

    # One process for each film, as many at a time as uavgen has jobs.
    peer = (f"ls | xargs -P 2 -I F ffmpeg -v error -nostdin -y -i F -map 0:v:0 -c:v libx264 -preset veryfast -crf 23 -pix_fmt yuv420p "
            f"-x264-params {X264} -movflags +faststart {peers}/F.mp4")
    measured = rounds({"uavgen": ours, "ffmpeg": lambda: run(["sh", "-c", peer], cwd=source)})
    sizes = {"uavgen": (folder / "store/video").rglob("*.mp4"), "ffmpeg": peers.iterdir()}
    table("Three films of 150 frames 1920x1080 to tables and our videos (ingest, video), same x264 parameters", measured,
          {name: {"MB": f"{sum(path.stat().st_size for path in paths) / 1e6:.2f}"} for name, paths in sizes.items()})
    ratio(measured, "uavgen", "ffmpeg", 0.7)


def cut(work):
    frames, video, out = frames_folder(), work / "video.mp4", work / "out.mp4"
    encode_ours = lambda: run([TARGET / "examples/encode_sequence", frames, video])
    encode_ours()
    # Four unequal segments in another order: on keyframes, and anywhere. The peer decodes, permutes and encodes again.
    orders = {"keyframes": [(75, 75), (0, 15), (45, 30), (15, 30)], "anywhere": [(77, 73), (0, 16), (46, 31), (16, 30)]}

    def ours(parts):
        return lambda: run([TARGET / "examples/cut_video", video, out, *[f"{first}+{count}" for first, count in parts]])

    def peer(parts):
        trims = ";".join(f"[0:v]trim=start_frame={first}:end_frame={first + count},setpts=PTS-STARTPTS[s{number}]"
                         for number, (first, count) in enumerate(parts))
        joined = "".join(f"[s{number}]" for number in range(len(parts))) + f"concat=n={len(parts)}:v=1[o]"
        return lambda: run(["ffmpeg", "-v", "error", "-y", "-i", video, "-filter_complex", f"{trims};{joined}", "-map", "[o]", "-c:v",
                            "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", "-movflags", "+faststart", out])

    measured = rounds({"uavgen encode": encode_ours, "uavgen at keyframes": ours(orders["keyframes"]), "uavgen anywhere": ours(orders["anywhere"]),
                       "ffmpeg encode": lambda: run(["ffmpeg", "-v", "error", "-y", "-framerate", "15", "-i", frames / "%07d.jpg", "-c:v", "libx264",
                                                     "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", work / "peer.mp4"]),
                       "ffmpeg trim, encode again": peer(orders["anywhere"])})
    table("Shuffle 150 frames 1920x1080 in four unequal segments", measured)
    ratio(measured, "uavgen at keyframes", "ffmpeg trim, encode again", 10)
    ratio(measured, "uavgen anywhere", "ffmpeg trim, encode again", 5)
    seconds = lambda *names: sum(measured[name]["wall"] for name in names)
    whole = seconds("ffmpeg encode", "ffmpeg trim, encode again") / seconds("uavgen encode", "uavgen at keyframes")
    print(f"\nfrom frames to the shuffled video, ffmpeg / uavgen = **{whole:.2f}** (wanted: at least 1.6)")


def stitch(work):
    video, listed = work / "video.mp4", work / "list.txt"
    run([TARGET / "examples/encode_sequence", frames_folder(), video])
    rows = {}
    # Copies of one video, each a file of its own; twice as many show whether memory grows.
    for count in (12, 24):
        clips = [work / f"clip-{number}.mp4" for number in range(count)]
        for clip in clips:
            shutil.copyfile(video, clip)
        listed.write_text("".join(f"file '{clip}'\n" for clip in clips))
        measured = rounds({f"uavgen, {count} clips": lambda: run([TARGET / "examples/join_videos", work / "ours.mp4", 150, *clips]),
                           f"ffmpeg, {count} clips": lambda: run(["ffmpeg", "-v", "error", "-y", "-f", "concat", "-safe", "0", "-i", listed,
                                                                  "-c", "copy", "-movflags", "+faststart", work / "peer.mp4"])})
        rows.update(measured)
    table(f"Stitch clips of {video.stat().st_size / 1e6:.1f} MB and 150 frames 1920x1080", rows)
    ratio(rows, "uavgen, 12 clips", "ffmpeg, 12 clips", 1)


def headers(work):
    folder = project(work / "headers", "visdrone-vid", INPUTS / "visdrone_big")
    build(folder, "ingest")  # fills the table of digests, so that only text and headers are left to do

    def ours():
        shutil.rmtree(folder / "store/ingest")
        return build(folder, "ingest")

    tools = {"uavgen": ours, "python script": lambda: run([PEER_PYTHON, PEERS / "peer_convert.py", "python_script"])}
    measured = rounds(tools)
    peer_seconds = json.loads(measured["python script"]["last"]["out"].strip().splitlines()[-1])["seconds"]
    table("VisDrone text and image headers to tables (3 000 images, 230 k boxes)", measured,
          {"python script": {"its own seconds": f"{peer_seconds:.2f}"}})
    ratio(measured, "uavgen", "python script", 10)


def ingest(work):
    copies = work / "copies"
    shutil.copytree(INPUTS / "visdrone_big", copies, copy_function=shutil.copyfile)
    size = sum(path.stat().st_size for path in copies.rglob("*") if path.is_file())
    folder = project(work / "ingest", "visdrone-vid", copies)

    def ours():
        shutil.rmtree(folder / "store", ignore_errors=True)
        return build(folder, "ingest")

    measured = rounds({"uavgen": ours, "cat": lambda: run(["sh", "-c", f"find {copies} -type f -exec cat {{}} + > /dev/null"])})
    table("Whole ingest with digests, warm, unlinked copies", measured,
          {name: {"GB/s": f"{size / 1e9 / m['wall']:.2f}"} for name, m in measured.items()})
    print(f"\n{size / 1e9:.2f} GB (wanted: 1 GB/s)")


def shards(work):
    ours = work / "shards"

    def run_ours():
        shutil.rmtree(ours, ignore_errors=True)
        return run([TARGET / "examples/bench_shards", INPUTS / "qa", ours])

    tools = {"uavgen": run_ours}
    for peer in ("pyarrow_json_plain_images", "pyarrow_json"):
        tools[peer] = lambda peer=peer: run([PEER_PYTHON, PEERS / "peer_shards.py", peer])
    measured = rounds(tools)
    extra = {"uavgen": {"QA MB": f"{sum(p.stat().st_size for p in ours.glob('qa*')) / 1e6:.2f}"}}
    for peer in list(tools)[1:]:
        said = json.loads(measured[peer]["last"]["out"].strip().splitlines()[-1])
        extra[peer] = {"QA MB": f"{said['detail']['qa_mb'] if 'detail' in said else said['qa_mb']:.2f}", "its own seconds": f"{said['seconds']:.2f}"}
    table("200 k QA rows and 500 images to Parquet", measured, extra)
    ratio(measured, "uavgen", "pyarrow_json_plain_images", 2)
    own = float(extra["pyarrow_json_plain_images"]["its own seconds"])
    print(f"\npyarrow's own seconds, without start and imports / uavgen's whole process = {own / measured['uavgen']['wall']:.2f}")


def noop(work):
    source = work / "many"
    image = work / "tiny.jpg"
    run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=1", "-frames:v", "1", image])
    for number in range(2000):
        name = f"uav{number:07d}_00000_v"
        frames = source / "sequences" / name
        frames.mkdir(parents=True)
        (source / "annotations").mkdir(exist_ok=True)
        rows = []
        for frame in range(1, 21):
            os.link(image, frames / f"{frame:07d}.jpg")
            rows.append(f"{frame},1,{frame},10,12,9,1,4,0,0\n")
        (source / "annotations" / f"{name}.txt").write_text("".join(rows))
    folder = project(work / "noop", "visdrone-vid", source)
    first = build(folder, "all")
    time.sleep(3)
    build(folder, "all")  # young digests are not trusted; now they are old
    measured = rounds({"uavgen": lambda: build(folder, "all")})
    table("Nothing to do: 2 000 recordings of 20 frames, all stages", measured)
    print(f"\nfirst build {first['wall']:.1f} s; wanted: under 1 s with nothing to do")


def memory(work):
    rows = {}
    big = INPUTS / "visdrone_big"
    names = sorted(path.name for path in (big / "sequences").iterdir())
    for count in (2, 4):
        source = work / f"memory-{count}"
        (source / "sequences").mkdir(parents=True)
        (source / "annotations").mkdir()
        for name in names[:count]:
            (source / "sequences" / name).symlink_to(big / "sequences" / name)
            shutil.copy(big / "annotations" / f"{name}.txt", source / "annotations")
        folder = project(work / f"memory-project-{count}", "visdrone-vid", source)
        rows[f"{count} sequences of 150 frames 1080p, -j 2"] = dict(build(folder, "all"), walls=[0.0])
    for row in rows.values():
        row["walls"] = [row["wall"]]
    table("Memory of a whole build (wanted: at most 1024 MB, and no growth with the input)", rows)


def main():
    tasks = dict(encode=encode, footage=footage, cut=cut, stitch=stitch, headers=headers, ingest=ingest, shards=shards, noop=noop, memory=memory)
    for name in sys.argv[1:] or tasks:
        with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_TMP")) as work:
            tasks[name](Path(work))
            sys.stdout.flush()


main()
