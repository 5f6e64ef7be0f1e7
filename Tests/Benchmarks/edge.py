#!/usr/bin/env python3
"""How near the `WebSocket` and `Network` targets come to what the machine can do: raw echo and raw broadcast.

    swift build -c release --product todo-echo
    /usr/bin/python3 Tests/Benchmarks/edge.py --driver DRIVER --limit LIMIT

Two programs come from outside, so that nobody measures himself; README.md beside this file says what they have to do. The server has one
core and the driver another. Limit and server take turns in every round, so that a slow spell of the machine hits both; figures are medians
over the rounds, and the ratios are what counts.
"""

import argparse
import json
import os
import pathlib
import resource
import signal
import socket
import statistics
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

# name: what it is, mode and options of the driver, path at the server, the figure, the ratio to reach
WORKLOADS = {
    "echo50": ("echo of 125 bytes, 50 connections", "echo", "-n 50 --size 125", "/echo", "msgs_per_s", None),
    "echo1000": ("echo of 125 bytes, 1,000 connections", "echo", "-n 1000 --size 125", "/echo", "msgs_per_s", 0.80),
    "echo50x16": ("the same, 50 with 16 in flight each", "echo", "-n 50 --size 125 --inflight 16", "/echo", "msgs_per_s", None),
    "broadcast1": ("broadcast of 200 bytes to 1,000", "broadcast", "-n 1000 --size 200 --inflight 1", "/room", "deliveries_per_s", 0.90),
    "broadcast8": ("the same, 8 outstanding", "broadcast", "-n 1000 --size 200 --inflight 8", "/room", "deliveries_per_s", 0.90),
    "connect": ("opening and closing handshakes", "connect", "-n 50", "/echo", "handshakes_per_s", None),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", required=True, help="the load driver")
    parser.add_argument("--limit", required=True, help="the program that does no more than it must")
    parser.add_argument("--echo", default=str(REPOSITORY / ".build/release/todo-echo"), help="todo-echo, built for release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5, help="how long each run measures")
    parser.add_argument("--only", default=",".join(WORKLOADS), help="workloads, with commas: " + ", ".join(WORKLOADS))
    parser.add_argument("--realtime", action="store_true", help="SCHED_RR, which cuts other programs off (needs the right to it)")
    return parser.parse_args()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_listening(port, process):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if process.poll() is not None:
            sys.exit(f"{process.args[-3:]} ended with status {process.returncode}")
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    sys.exit(f"{process.args[-3:]} does not listen on port {port}")


def pinned(core, realtime):
    return ["taskset", "-c", str(core)] + (["chrt", "-r", "10"] if realtime else [])


def measure(server, workload, options):
    """One run against a fresh server: (messages a second, the server's processor time for each in µs)."""
    _, mode, driver_options, path, figure, _ = WORKLOADS[workload]
    port = free_port()
    command = [options.limit, str(port)] if server == "limit" else [options.echo, "--port", str(port)]
    process = subprocess.Popen(
        pinned(0, options.realtime) + command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_listening(port, process)
        run = subprocess.run(
            pinned(1, options.realtime)
            + [options.driver, mode, "--url", f"ws://127.0.0.1:{port}{path}", *driver_options.split()]
            + ["--time", str(options.seconds), "--pid", str(process.pid), "--json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    if run.returncode != 0:
        sys.exit(f"{workload} against {server}: the driver ended with status {run.returncode}: {run.stderr or run.stdout}")
    result = json.loads(run.stdout)
    return result[figure], result["server_cpu_us_each"]


def show(name, limit, ours):
    title, goal = WORKLOADS[name][0], WORKLOADS[name][5]
    middle = [statistics.median(rate for rate, _ in runs) for runs in (limit, ours)]
    cost = [statistics.median(each for _, each in runs) for runs in (limit, ours)]
    ratios = [mine[0] / theirs[0] for theirs, mine in zip(limit, ours)]
    ratio = middle[1] / middle[0]
    wanted = "" if goal is None else f"{goal:.2f} {'yes' if ratio >= goal else 'no'}"
    print(
        f"{title:38} {middle[0]:12,.0f} {middle[1]:12,.0f} {ratio:6.2f}   {min(ratios):.2f}–{max(ratios):.2f}   {wanted:8}"
        f"   {cost[0]:.2f} and {cost[1]:.2f}, {cost[1] / cost[0]:.2f}"
    )


def main():
    options = arguments()
    for program in (options.driver, options.limit, options.echo):
        if not os.access(program, os.X_OK):
            sys.exit(f"there is no program at {program}")
    names = [name for name in options.only.split(",") if name]
    if unknown := set(names) - set(WORKLOADS):
        sys.exit(f"there is no workload {', '.join(sorted(unknown))}; there are {', '.join(WORKLOADS)}")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    results = {name: {"limit": [], "todo-echo": []} for name in names}
    for number in range(options.rounds):
        for name in names:
            # Who comes first changes, so that nobody profits from it.
            for server in ("limit", "todo-echo") if number % 2 == 0 else ("todo-echo", "limit"):
                results[name][server].append(measure(server, name, options))
        print(f"round {number + 1} of {options.rounds} is over", file=sys.stderr)

    print(f"{'a second':38} {'limit':>12} {'todo-echo':>12} {'ratio':>6}   {'between':9}   {'to reach':8}   server's processor, µs each")
    for name in names:
        show(name, results[name]["limit"], results[name]["todo-echo"])


if __name__ == "__main__":
    main()
