"""A browser without a screen, driven through WebDriver (plain HTTP and JSON) by the standard library alone."""
import base64
import json
import os
import re
import struct
import subprocess
import time
import urllib.error
import urllib.request
import zlib

PATIENCE = 1200  # seconds: a net for what never comes, which no machine at work comes near
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # how the protocol marks a reference to an element


class Picture:
    """The pixels of a PNG with 8 bits per channel, as chromium writes them."""

    def __init__(self, png):
        assert png[:8] == b"\x89PNG\r\n\x1a\n", "this is no PNG"
        self.png = png
        self.decoded = False

    def decode(self):
        """When it is needed: without a library that takes a while."""
        if self.decoded:
            return
        self.decoded = True
        png, at, packed = self.png, 8, b""
        while at < len(png):
            (size,) = struct.unpack(">I", png[at : at + 4])
            kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, colour = struct.unpack(">IIBB", data[:10])
                assert depth == 8 and colour in (2, 6), "an unusual PNG"
                self.channels = 3 if colour == 2 else 4
            if kind == b"IDAT":
                packed += data
            at += 12 + size
        self.rows = self._unfilter(zlib.decompress(packed))

    def _unfilter(self, data):
        step, stride = self.channels, self.width * self.channels
        rows, above = [], bytearray(stride)
        for y in range(self.height):
            start = y * (stride + 1)
            kind, row = data[start], bytearray(data[start + 1 : start + 1 + stride])
            for i in range(stride):
                left = row[i - step] if i >= step else 0
                up = above[i]
                corner = above[i - step] if i >= step else 0
                if kind == 1:
                    row[i] = (row[i] + left) & 255
                elif kind == 2:
                    row[i] = (row[i] + up) & 255
                elif kind == 3:
                    row[i] = (row[i] + (left + up) // 2) & 255
                elif kind == 4:
                    guess = left + up - corner
                    far = (abs(guess - left), abs(guess - up), abs(guess - corner))
                    row[i] = (row[i] + (left, up, corner)[far.index(min(far))]) & 255
            rows.append(bytes(row))
            above = row
        return rows

    def pixel(self, x, y):
        self.decode()
        at = x * self.channels
        return tuple(self.rows[y][at : at + 3])

    def differing(self, other):
        """How many pixels are not the same; pictures of different size differ everywhere."""
        if self.png == other.png:
            return 0
        self.decode()
        other.decode()
        if (self.width, self.height) != (other.width, other.height):
            return self.width * self.height
        count = 0
        for mine, its in zip(self.rows, other.rows):
            if mine != its:
                step = self.channels
                count += sum(mine[i : i + 3] != its[i : i + 3] for i in range(0, len(mine), step))
        return count


class Browser:
    def __init__(self, folder, width=660, height=600):
        log = open(os.path.join(folder, "chromedriver.log"), "wb")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=log, text=True)
        log.close()
        self.session = None
        for line in self.driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                self.base = f"http://127.0.0.1:{found.group(1)}"
                break
        else:
            raise RuntimeError("chromedriver did not start")
        arguments = ["--headless=new", f"--window-size={width},{height}", "--force-device-scale-factor=1",
                     "--hide-scrollbars", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                     f"--user-data-dir={os.path.join(folder, 'profile')}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        # no proxy stands between this machine and itself
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {json.load(error)['value']['message']}") from None

    def ask(self, method, path, body=None):
        return self._ask(method, f"/session/{self.session}{path}", body)

    def open(self, path):
        self.ask("POST", "/url", {"url": "file://" + urllib.request.pathname2url(os.path.abspath(path))})

    def run(self, script, *arguments):
        """What a function body returns in the page."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, css):
        return self.ask("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        self.ask("POST", f"/element/{self.find(css)}/click", {})

    def keys(self, css, text):
        self.ask("POST", f"/element/{self.find(css)}/value", {"text": text})

    def picture(self, css=None):
        path = "/screenshot" if css is None else f"/element/{self.find(css)}/screenshot"
        return base64.b64decode(self.ask("GET", path))

    def drag(self, css, dx, dy):
        moves = [{"type": "pointerMove", "duration": 0, "origin": {ELEMENT: self.find(css)}, "x": 0, "y": 0},
                 {"type": "pointerDown", "button": 0},
                 {"type": "pointerMove", "duration": 100, "origin": "pointer", "x": dx, "y": dy},
                 {"type": "pointerUp", "button": 0}]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}
        self.ask("POST", "/actions", {"actions": [mouse]})

    def wheel(self, css, dy):
        turn = [{"type": "scroll", "x": 0, "y": 0, "deltaX": 0, "deltaY": dy, "origin": {ELEMENT: self.find(css)}}]
        self.ask("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": turn}]})

    def emulate(self, **features):
        """Media features: emulate(prefers_color_scheme='dark')."""
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": listed}})

    def console(self):
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def wait(self, script, what, seconds=PATIENCE):
        """Until a script returns something true: conditions, not times, so that a busy machine is fine."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain: {what}")
            time.sleep(0.02)

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
