#!/usr/bin/env python3
"""Turns the generated scene of the peer kit (poses.json, labels, meshes) into a `posed-mesh` source: posed_scene.py SCENE OUT [MESH].
Images are the labels in their colours, shaded by depth: the scene has none of its own."""
import json, os, sys
import cv2
import numpy as np

scene, out = sys.argv[1], sys.argv[2]
mesh = sys.argv[3] if len(sys.argv) > 3 else "mesh_200k.ply"
poses, table = (json.load(open(f"{scene}/{name}.json")) for name in ("poses", "classes"))
ground = {"ground", "road", "grass", "sports_field", "parking", "bare_soil", "pavement"}
kinds = ["thing" if value in table["thing_classes"] else "ground" if name in ground else "stuff"
         for value, name in enumerate(table["classes"])]
os.makedirs(f"{out}/images", exist_ok=True)
for name, target in (("labels", f"{out}/labels"), (mesh, f"{out}/mesh.ply")):
    if not os.path.lexists(target):
        os.symlink(os.path.abspath(f"{scene}/{name}"), target)
palette = np.array(table["palette"], np.float32)
frames = []
for number, view in enumerate(poses["views"]):
    name = view["name"]
    labels = cv2.imread(f"{scene}/labels/{name}.png", cv2.IMREAD_UNCHANGED)
    depth = np.load(f"{scene}/depth/{name}.npy")
    edges = np.abs(cv2.Laplacian(depth, cv2.CV_32F, ksize=3))
    shade = (1.0 - 0.6 * np.clip(edges, 0, 1))[..., None]
    cv2.imwrite(f"{out}/images/{name}.jpg", (palette[labels] * shade)[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])
    frames.append({"image": f"images/{name}.jpg", "mask": f"labels/{name}.png", "matrix": view["cam_to_world"], "time_s": 0.5 * number})
K = poses["views"][0]["K"]
camera = {"width": poses["width"], "height": poses["height"], "fx": K[0][0], "fy": K[1][1], "cx": K[0][2], "cy": K[1][2]}
classes = [{"value": value, "name": name, "kind": kinds[value]} for value, name in enumerate(table["classes"])]
json.dump({"axes": "opencv", "pose": "camera-to-world", "world": "enu", "first_pixel": "half", "mesh": "mesh.ply",
           "classes": classes, "cameras": {"main": camera}, "frames": frames}, open(f"{out}/cameras.json", "w"))
