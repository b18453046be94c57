# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium that is driven through two pipes: no port, no package beside the standard library."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"Enter": 13, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, " ": 32, "Tab": 9}


def program():
    """Returns the path of the browser; None: it is not installed."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Browser:
    """One browser process. Messages are JSON, each followed by a NUL, on the descriptors 3 and 4 of the process."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory()
        to_browser, self.writer = os.pipe()
        self.reader, from_browser = os.pipe()

        def connect():
            os.dup2(to_browser, 100)
            os.dup2(from_browser, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", f"--user-data-dir={self.home.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home.name})
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.reader, 1 << 20)
            if not data:
                raise RuntimeError("the browser ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        """Calls a method and returns its result; events that arrive meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        finally:
            self.process.kill()
            self.process.wait()
            os.close(self.writer)
            os.close(self.reader)
            self.home.cleanup()


class Page:
    """A file in its own tab."""

    def __init__(self, browser, path, width=1280, dark=False, script=True):
        self.browser = browser
        self.url = pathlib.Path(path).resolve().as_uri()
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.resize(width)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=self.url)
        self.wait("Page.loadEventFired")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def mine(self):
        return [event for event in self.browser.events if event.get("sessionId") == self.session]

    def wait(self, method):
        while not any(event["method"] == method for event in self.mine()):
            self.browser.events.append(self.browser.receive())

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def read(self, function, *arguments):
        """Returns the result of a JavaScript function, which the test injects."""
        source = f"JSON.stringify(({function})({', '.join(map(json.dumps, arguments))}))"
        answer = self.call("Runtime.evaluate", expression=source, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        value = answer["result"].get("value")
        return None if value is None else json.loads(value)

    def press(self, key, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS.get(key, 0),
                      **({"text": text} if text and kind == "keyDown" else {}))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def point(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def complaints(self):
        """Lists errors of the console, exceptions and requests beyond the page itself."""
        found = []
        for event in self.mine():
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"]["exception"].get("description", "exception"))
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(f"console: {params['args']}")
            elif event["method"] == "Log.entryAdded":
                found.append(f"log: {params['entry']['text']}")
            elif event["method"] == "Network.requestWillBeSent" and params["request"]["url"] != self.url:
                found.append(f"request: {params['request']['url'][:200]}")
        return found

    def picture(self, path):
        """Writes a screenshot of the whole page."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.events = [event for event in self.browser.events if event.get("sessionId") != self.session]
