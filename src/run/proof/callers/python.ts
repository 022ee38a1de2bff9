/** The same program in Python. */
import type { CallerInput } from './input.ts'

export const pythonCaller = (input: CallerInput): string => `
import ast, asyncio, importlib, inspect, json, os, subprocess, sys, threading, time

given = json.loads(${JSON.stringify(JSON.stringify(input))})
blocks, near, said, root = given["blocks"], given["near"], given["said"], os.getcwd()
which = sys.argv[1] if len(sys.argv) > 1 else None
places = [place for place in (root, os.path.join(root, "src"), os.path.join(root, "lib")) if os.path.isdir(place)]


def say(**line):
    with open(said, "a") as file:
        file.write(json.dumps({"which": which, **line}) + "\\n")


def function_of(block, name):
    first, _, second = name.partition(".")
    imported = block["imports"][first]
    top = imported["module"].split(".")[0]
    if not any(os.path.exists(os.path.join(place, top + ending)) for place in places for ending in ("", ".py")):
        raise ImportError(top)
    whole = importlib.import_module(imported["module"])
    member = imported.get("member")
    if member is not None:
        whole = getattr(whole, member) if hasattr(whole, member) else importlib.import_module(imported["module"] + "." + member)
    return getattr(whole, second) if second else whole


def is_same(was, wanted):
    if was is wanted:
        return True
    return bool(was == wanted) and not bool(was == object())


def made(block, call, run, args, expected, after, is_error=False):
    wanted = None if is_error else ast.literal_eval(expected)
    try:
        was = run(*ast.literal_eval("[" + args + "]"))
        if inspect.isawaitable(was):
            was = asyncio.run(was)
    except ImportError:
        return say(block=block, unable=True)
    except Exception as error:
        if is_error:
            return None
        return say(block=block, call=call, after=after, was="the error " + repr(error)[:100])
    if is_error or not is_same(was, wanted):
        say(block=block, call=call, after=after, was=repr(was)[:100])


def answer_of(run, args):
    try:
        was = run(*ast.literal_eval("[" + args + "]"))
        if inspect.isawaitable(was):
            was = asyncio.run(was)
        return {"kind": "nothing" if was is None or was != was else "value", "shown": repr(was)[:200]}
    except Exception as error:
        return {"kind": "nothing", "shown": "the error " + repr(error)[:100]}


def ask_near(at):
    function = function_of(near[at], near[at]["name"])
    answers = []
    for one in near[at]["calls"]:
        found = [answer_of(function, args) for args in [one["args"], *one["near"]]]
        answers.append({"own": found[0], "near": found[1:]})
    say(near=at, answers=answers)


def main():
    if which is None:
        env = {**os.environ, "HOME": given["home"]}
        for each in [*(["all"] if blocks else []), *range(len(blocks)), *(f"near {at}" for at in range(len(near)))]:
            try:
                command = [sys.executable, os.path.abspath(__file__), str(each)]
                subprocess.run(command, env=env, timeout=given["callMs"] / 1000, stdin=subprocess.DEVNULL, capture_output=True)
            except subprocess.TimeoutExpired:
                pass
        return
    sys.path[:1] = places
    if which.startswith("near "):
        return ask_near(int(which[5:]))
    ready, timers, real = [], [], (threading.Timer, time.time)

    class Late(threading.Timer):
        def start(self):
            if self.interval >= 1:
                timers.append(lambda: self.function(*self.args, **self.kwargs))
            else:
                super().start()

    if given["isRepeated"]:
        threading.Timer = Late
    for number in range(len(blocks)) if which == "all" else [int(which)]:
        try:
            calls = blocks[number]["calls"]
            ready += [(number, at, function_of(blocks[number], one["name"]), one["args"], one["expected"], one.get("isError", False)) for at, one in enumerate(calls)]
        except Exception:
            say(block=number, unable=True)
    threading.Timer = real[0]
    for each in ready:
        made(*each[:5], 0, each[5])
    began, after = time.monotonic(), len(ready)
    while ready and given["isRepeated"] and which == "all" and after < 400 and time.monotonic() - began < 1:
        for each in ready:
            made(*each[:5], after, each[5])
            after += 1
    if given["isRepeated"] and which == "all":
        for fire in timers:
            try:
                fire()
            except Exception:
                pass
        time.time = lambda: real[1]() + 400 * 86_400
        for each in ready:
            made(*each[:5], "aged", each[5])


main()
`
