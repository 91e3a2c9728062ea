"""Plays films in a browser and looks at what is seen: pixels move, and only when they should; the console stays empty.

    play.py FOLDER    with planar.html, spatial.html and planar.svg, made by test/cli/browser.sh
"""
import os
import sys
import time

from webdriver import PATIENCE, Browser, Picture

checks = 0


def check(holds, what):
    global checks
    checks += 1
    if not holds:
        raise AssertionError(what)


class Player:
    """The page of a film, used as people do: buttons, keys and the mouse."""

    def __init__(self, browser, path):
        self.browser = browser
        browser.open(path)
        browser.wait("return document.readyState === 'complete'", "the page")

    def time(self):
        return float(self.browser.run("return document.getElementById('time').textContent").split("=")[1].replace("\u2212", "-"))

    def is_playing(self):
        return self.browser.run("return document.getElementById('play').getAttribute('aria-label')") == "Pause"

    def pause(self):
        if self.is_playing():
            self.browser.click("#play")
        check(not self.is_playing(), "the button pauses")

    def scrub(self, part):
        """To a part of the film, from 0 to 1, as the slider tells it when it is moved."""
        self.browser.run("const slider = document.getElementById('scrub'); slider.value = slider.max * arguments[0];"
                         "slider.dispatchEvent(new Event('input', {bubbles: true}));", part)
        self.settle()

    def settle(self):
        """Until what was asked for is painted: two frames of the browser are gone."""
        self.browser.run("window.painted = 0; requestAnimationFrame(() => requestAnimationFrame(() => window.painted = 1))")
        self.browser.wait("return window.painted === 1", "a frame of the browser")

    def picture(self):
        return Picture(self.browser.picture("#canvas"))

    def wait_for_time(self, condition, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not condition(self.time()):
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain: {what}")
            time.sleep(0.02)

    def no_errors(self):
        messages = self.browser.console()
        check(messages == [], f"the console says {messages}")


def plays_and_pauses(player):
    check(player.is_playing(), "it plays by itself")
    before = player.time()
    player.wait_for_time(lambda t: t != before, "time goes on")
    player.pause()
    first, at = player.picture(), player.time()
    player.settle()
    check(player.time() == at and first.differing(player.picture()) == 0, "nothing moves in a pause")
    player.browser.click("#play")
    player.wait_for_time(lambda t: abs(t - at) > 0.3, "it plays on")
    player.pause()
    check(first.differing(player.picture()) > 100, "pixels move")


def scrubs(player, length):
    pictures = {}
    for part in (0, 0.25, 0.6, 1):
        player.scrub(part)
        check(abs(player.time() - part * length) < 0.01, f"time after scrubbing to {part}")
        pictures[part] = player.picture()
    for part in (0.6, 0):
        player.scrub(part)
        check(player.picture().differing(pictures[part]) == 0, "the same time looks the same")
    check(pictures[0].differing(pictures[0.25]) > 100 and pictures[0.25].differing(pictures[0.6]) > 100, "other times do not")


def steps_by_keys(player, length):
    player.scrub(0.5)
    start = player.time()
    player.browser.keys("#canvas", "\ue014")  # right
    check(0.02 < player.time() - start < 0.05, "an arrow key steps by a frame")
    player.browser.keys("#canvas", "\ue012\ue012")  # left
    check(0.02 < start - player.time() < 0.05, "and back")
    player.browser.click("#forward")
    check(abs(player.time() - start) < 0.011, "so does a button")
    player.browser.keys("#canvas", "\ue010")  # end
    check(abs(player.time() - length) < 0.01, "the end")
    player.browser.keys("#canvas", "\ue011")  # home
    check(player.time() == 0, "the begin")
    player.browser.keys("#canvas", " ")
    check(player.is_playing(), "space plays")
    player.browser.keys("#canvas", " ")
    check(not player.is_playing(), "and pauses")


FRAMES, BETWEEN = 40, 0.02  # so many frames of the browser, and the seconds between them as its clock tells


def rate(player, speed):
    """Time of the model per second of a clock that the test winds: frames come when it says so, however busy the machine is."""
    browser = player.browser
    browser.run("const s = document.getElementById('speed'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", speed)
    player.scrub(0)
    browser.run("window.pending = []; window.ownFrame = window.requestAnimationFrame;"
                "window.requestAnimationFrame = (tick) => window.pending.push(tick)")
    browser.wait("return window.pending.length > 0", "the page asks for a frame")
    browser.click("#play")
    look = "return parseFloat(document.getElementById('scrub').value) / 30"
    wind = "window.pending.splice(0).forEach((tick) => tick(window.wound)); window.wound += 1000 * arguments[0]"
    browser.run("window.wound = performance.now()")
    browser.run(wind, BETWEEN)
    begin = browser.run(look)
    for _ in range(FRAMES):
        browser.run(wind, BETWEEN)
    end = browser.run(look)
    player.pause()
    browser.run("window.requestAnimationFrame = window.ownFrame; window.pending.splice(0).forEach((tick) => tick(performance.now()))")
    return (end - begin) / (FRAMES * BETWEEN)


def changes_speed(player):
    slow, fast = rate(player, "0.25"), rate(player, "2")
    check(abs(slow - 0.25) < 0.1, f"slow motion goes at {slow}")
    check(abs(fast - 2) < 0.2, f"twice the speed goes at {fast}")


def ends_without_loop(player, length):
    player.browser.keys("#canvas", "l")
    check(player.browser.run("return document.getElementById('loop').getAttribute('aria-pressed')") == "false", "loop is off")
    player.scrub(0.97)
    player.browser.click("#play")
    player.browser.wait("return document.getElementById('play').getAttribute('aria-label') === 'Play'", "it stops at the end")
    check(abs(player.time() - length) < 0.01, "at its end")
    player.browser.click("#loop")
    player.scrub(0.97)
    player.browser.click("#play")
    player.wait_for_time(lambda t: t < 0.5 * length, "it begins again")
    player.pause()


def is_dark_where_asked(browser, path):
    colours = {}
    for scheme in ("light", "dark"):
        browser.emulate(prefers_color_scheme=scheme)
        player = Player(browser, path)
        player.pause()
        player.scrub(0.3)
        colours[scheme] = sum(player.picture().pixel(3, 3))
    check(colours["light"] > 600 and colours["dark"] < 150, f"the paper is {colours}")
    browser.emulate(prefers_color_scheme="light")


def stays_where_motion_is_unwanted(browser, path):
    browser.emulate(prefers_reduced_motion="reduce")
    player = Player(browser, path)
    check(not player.is_playing() and player.time() == 0, "it does not begin by itself")
    browser.emulate(prefers_reduced_motion="no-preference")


def turns(player):
    player.pause()
    player.scrub(0.4)
    home = player.picture()
    player.browser.drag("#canvas", 120, 30)
    player.settle()
    turned = player.picture()
    check(home.differing(turned) > 500, "the mouse turns it")
    player.browser.wheel("#canvas", -300)
    player.settle()
    check(turned.differing(player.picture()) > 500, "the wheel enlarges it")
    player.browser.click("#home")
    player.settle()
    check(home.differing(player.picture()) == 0, "and it can be turned back")
    player.browser.keys("#canvas", "\ue008\ue014")  # shift and right
    player.settle()
    check(home.differing(player.picture()) > 500, "keys turn it too")


def fits_small_windows(player):
    browser = player.browser
    browser.ask("POST", "/window/rect", {"width": 500, "height": 500})
    browser.wait("return window.innerWidth <= 500", "a small window")
    player.settle()
    check(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), "nothing sticks out")
    check(browser.run("const c = document.getElementById('canvas'); return c.width === Math.round(c.clientWidth * devicePixelRatio)"),
          "the drawing is sharp")
    browser.ask("POST", "/window/rect", {"width": 660, "height": 600})


def shows_names(player):
    browser = player.browser
    check(browser.run("return document.title") == browser.run("return document.querySelector('h1').textContent"), "the title")
    check("</script>" in browser.run("return document.querySelector('pre').textContent"), "the model's text")
    check(browser.run("return document.querySelectorAll('script').length") == 2, "no script but ours")
    check(browser.run("return window.escaped") is None, "nothing of a name was run")


def svg_moves(browser, path):
    browser.open(path)
    offset = "return parseFloat(getComputedStyle(document.querySelector('path.w')).strokeDashoffset)"
    first, begun = Picture(browser.picture()), browser.run(offset)
    browser.wait("return document.documentElement.getCurrentTime() > 0.8", "the time of the drawing")
    check(Picture(browser.picture()).differing(first) > 100, "an SVG moves")
    browser.wait(f"{offset} < {begun} - 5", "its trail grows")
    # one sheet at a time, always
    count = ("return [...document.querySelectorAll('svg > g')].filter((g) => getComputedStyle(g).display !== 'none').length")
    for part in (0, 0.1234, 0.5, 0.9999):
        browser.run("const svg = document.documentElement; svg.pauseAnimations(); svg.setCurrentTime(arguments[0])", 3 * part)
        browser.wait(count + " === 1", "one sheet is seen")
    check(browser.console() == [], "an SVG has no errors")


def main(folder):
    browser = Browser(folder)
    try:
        planar, spatial = os.path.join(folder, "planar.html"), os.path.join(folder, "spatial.html")
        player = Player(browser, planar)
        plays_and_pauses(player)
        scrubs(player, 3)
        steps_by_keys(player, 3)
        changes_speed(player)
        ends_without_loop(player, 3)
        fits_small_windows(player)
        shows_names(player)
        player.no_errors()
        is_dark_where_asked(browser, planar)
        stays_where_motion_is_unwanted(browser, planar)
        player = Player(browser, spatial)
        turns(player)
        scrubs(player, 3)
        player.no_errors()
        svg_moves(browser, os.path.join(folder, "planar.svg"))
    finally:
        browser.close()
    print(f"{checks} checks")


main(sys.argv[1])
