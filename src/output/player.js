// Plays a film of Zwang on its page. Plain JavaScript, no libraries, no network.
//
// The page holds the film as JSON: shapes, sizes, colours, a view, and rows of numbers (src/output/film_data.c writes them). An instant
// is drawn in three steps, the same as src/output/scene_marks.c does for pictures: numbers of the shapes, interpolated between two rows;
// marks on the stage, in pixels; painting, in space the farthest first.
"use strict";

(() => {
  const film = JSON.parse(document.getElementById("film").textContent);
  const element = (id) => document.getElementById(id);
  const canvas = element("canvas");
  const pen = canvas.getContext("2d");
  const scrub = element("scrub");

  // ---- numbers ----

  function bytesOf(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  function readTimes(base64) {
    const bytes = bytesOf(base64);
    const view = new DataView(bytes.buffer);
    const times = new Float64Array(bytes.length / 8);
    for (let i = 0; i < times.length; i++) times[i] = view.getFloat64(8 * i, true);
    return times;
  }

  // Column after column; a number is the whole count of quanta by which it differs from what the two before it foretell, folded so
  // that small ones of either sign are short; 0 stands for a number that is not there.
  function readColumns(base64, quanta, bases, rows) {
    const bytes = bytesOf(base64);
    let at = 0;
    const next = () => {
      let value = 0, factor = 1;
      for (;;) {
        const byte = bytes[at++];
        value += (byte & 127) * factor;
        if (byte < 128) return value;
        factor *= 128;
      }
    };
    return quanta.map((quantum, column) => {
      const numbers = new Float64Array(rows);
      let last = 0, before = 0;
      for (let row = 0; row < rows; row++) {
        const code = next();
        if (code === 0) {
          numbers[row] = NaN;
          continue;
        }
        const folded = code - 1;
        const whole = 2 * last - before + (folded % 2 ? -(folded + 1) / 2 : folded / 2);
        before = last;
        last = whole;
        numbers[row] = bases[column] + quantum * whole;
      }
      return numbers;
    });
  }

  const times = readTimes(film.times);
  const columns = [times, ...readColumns(film.data, film.quanta, film.bases, times.length)];
  const from = times[0], to = times[times.length - 1];

  // The last row at or before a time, and how far it is to the next one.
  function rowAt(t) {
    let low = 0, high = times.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle;
    }
    const gap = low + 1 < times.length ? times[low + 1] - times[low] : 0;
    return { row: low, part: gap > 0 ? Math.min(1, Math.max(0, (t - times[low]) / gap)) : 0 };
  }

  function numbersAt(shape, row, part) {
    return shape.columns.map((column, i) => {
      if (column < 0) return shape.values[i];
      const now = columns[column][row];
      if (part === 0) return now;
      const next = columns[column][row + 1];
      return Number.isNaN(next) ? now : now + part * (next - now);
    });
  }

  function digits(decimals, value) {
    if (!Number.isFinite(value)) return "?";
    const text = decimals < 0 ? value.toExponential(3).replace("e+", "e") : value.toFixed(decimals);
    return (/[1-9]/.test(text) ? text : text.replace("-", "")).replace(/-/g, "\u2212");
  }

  // ---- view ----

  const eye = { azimuth: film.view.azimuth, elevation: film.view.elevation, zoom: 1 };
  const stage = { view: 0, width: 0, height: 0, scale: 1, right: [1, 0, 0], up: [0, 1, 0], toward: [0, 0, 1] };
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const scaled = (a, length) => {
    const size = Math.hypot(...a);
    return size > 0 ? a.map((x) => (x * length) / size) : a;
  };

  function turnEye() {
    stage.view++;
    if (!film.spatial) return;
    const a = (eye.azimuth * Math.PI) / 180, e = (eye.elevation * Math.PI) / 180;
    stage.right = [-Math.sin(a), Math.cos(a), 0];
    stage.up = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
    stage.toward = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
  }

  function fitStage() {
    stage.view++;
    const { half, margin, width, height } = film.view;
    const ratio = window.devicePixelRatio || 1;
    stage.width = canvas.parentElement.clientWidth;
    const most = Math.max(240, window.innerHeight - 210);
    stage.height = Math.round(Math.min(most, Math.max(200, (stage.width * height) / width)));
    canvas.style.height = `${stage.height}px`;
    canvas.width = Math.round(stage.width * ratio);
    canvas.height = Math.round(stage.height * ratio);
    const room = [stage.width - 2 * margin, stage.height - 2 * margin];
    stage.scale = eye.zoom * Math.min(Math.max(room[0], 40) / half[0], Math.max(room[1], 40) / half[1]) / 2;
    stage.ratio = ratio;
  }

  function place(point) {
    const d = [point[0] - film.view.centre[0], point[1] - film.view.centre[1], point[2] - film.view.centre[2]];
    return [stage.width / 2 + stage.scale * dot(d, stage.right), stage.height / 2 - stage.scale * dot(d, stage.up)];
  }
  const nearness = (point) => dot(point, stage.toward) - dot(film.view.centre, stage.toward);

  // ---- marks ----

  const size = film.sizes;
  const layer = { floor: 0, ground: 1, trail: 2, bodies: 3, arrows: 4, texts: 5 };
  const isNear = (p) => Math.abs(p[0]) < 20000 && Math.abs(p[1]) < 20000;

  class Marks {
    constructor() {
      this.list = [];
    }
    add(kind, shape, near, places, more) {
      const flat = { ground: layer.ground, trail: layer.trail, arrow: layer.arrows };
      const on = shape.kind === "text" ? layer.texts : film.spatial ? layer.bodies : flat[shape.kind] || layer.bodies;
      this.list.push({ kind, ink: shape.ink, layer: on, near: film.spatial ? near : 0, order: this.list.length, places, ...more });
    }
    sort() {
      this.list.sort((a, b) => a.layer - b.layer || a.near - b.near || a.order - b.order);
    }
  }

  const points = (shape, numbers) => {
    const list = [];
    for (let i = 0; i < shape.points; i++) {
      const at = i * shape.dim;
      list.push([numbers[at], numbers[at + 1], shape.dim === 3 ? numbers[at + 2] : 0]);
    }
    return list;
  };

  const between = (a, b, s) => a.map((x, k) => x + s * (b[k] - x));

  // From point to point, in space in pieces that are sorted one by one.
  function addRod(marks, kind, shape, a, b) {
    const p = place(a), q = place(b);
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
    const pieces = film.spatial && isNear(p) && isNear(q) ? Math.min(40, Math.floor(1 + length / size.piece)) : 1;
    for (let i = 0; i < pieces; i++) {
      const near = nearness(between(a, b, (i + 0.5) / pieces));
      marks.add(kind, shape, near, [between(p, q, i / pieces), between(p, q, (i + 1) / pieces)]);
    }
  }

  function addLine(marks, kind, shape, list) {
    if (!film.spatial) marks.add(kind, shape, 0, list.map(place));
    else for (let i = 0; i + 1 < list.length; i++) addRod(marks, kind, shape, list[i], list[i + 1]);
  }

  const meanNearness = (list) => list.reduce((sum, point) => sum + nearness(point), 0) / list.length;

  const make = {
    line(marks, shape, numbers) {
      addLine(marks, "line", shape, points(shape, numbers));
    },

    spring(marks, shape, numbers) {
      const list = points(shape, numbers);
      const [p, q] = list.map(place);
      const d = [q[0] - p[0], q[1] - p[1]], length = Math.hypot(...d);
      const places = [p];
      if (length >= 1) {
        const corners = 2 * shape.windings, lead = 0.12;
        for (let i = 0; i <= corners; i++) {
          const along = lead + ((1 - 2 * lead) * i) / corners;
          const off = i === 0 || i === corners ? 0 : (i % 2 ? shape.coil : -shape.coil) / length;
          places.push([p[0] + along * d[0] - off * d[1], p[1] + along * d[1] + off * d[0]]);
        }
      }
      places.push(q);
      marks.add("spring", shape, meanNearness(list), places);
    },

    point(marks, shape, numbers) {
      const [point] = points(shape, numbers);
      marks.add("dot", shape, nearness(point) + size.piece / 2 / stage.scale, [place(point)], { radius: size.point });
    },

    circle(marks, shape, numbers) {
      const [centre] = points(shape, numbers);
      const radius = Math.abs(numbers[shape.dim]);
      const axis = shape.dim === 3 ? numbers.slice(4, 7) : film.spatial ? [0, 0, 1] : [0, 0, 0];
      if (axis.every((x) => x === 0)) {
        marks.add("ring", shape, nearness(centre) + radius, [place(centre)], { radius: radius * stage.scale, shade: 0 });
        return;
      }
      const n = scaled(axis, 1);
      const a = scaled(cross(n, Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]), radius), b = cross(n, a);
      const places = [];
      for (let i = 0; i < 64; i++) {
        const c = Math.cos((2 * Math.PI * i) / 64), s = Math.sin((2 * Math.PI * i) / 64);
        places.push(place(centre.map((x, k) => x + c * a[k] + s * b[k])));
      }
      marks.add("area", shape, nearness(centre), places, { shade: 0 });
    },

    box(marks, shape, numbers) {
      const [centre] = points(shape, numbers);
      const near = nearness(centre);
      if (shape.dim === 2) {
        const [w, h, angle] = numbers.slice(2);
        const c = Math.cos(angle) / 2, s = Math.sin(angle) / 2;
        const corner = (i, j) => place([centre[0] + i * w * c - j * h * s, centre[1] + i * w * s + j * h * c, 0]);
        marks.add("area", shape, near, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], { shade: 0 });
        return;
      }
      const lengths = numbers.slice(3, 6), ex = numbers.slice(6, 9), ey = numbers.slice(9, 12);
      const axes = [ex, ey, cross(ex, ey)];
      const corner = (bits) => place(centre.map((x, k) =>
        axes.reduce((sum, axis, i) => sum + ((bits >> i) & 1 ? 0.5 : -0.5) * lengths[i] * axis[k], x)));
      const faces = [[[0, 2, 6, 4], [1, 3, 7, 5]], [[0, 1, 5, 4], [2, 3, 7, 6]], [[0, 1, 3, 2], [4, 5, 7, 6]]];
      axes.forEach((axis, i) => {
        const n = scaled(axis, dot(axis, stage.toward) > 0 ? 1 : -1);
        const shade = n[2] > 0.6 ? 0 : dot(n, stage.right) < 0 ? 1 : 2;
        marks.add("area", shape, near, faces[i][dot(axis, stage.toward) > 0 ? 1 : 0].map(corner), { shade });
      });
    },

    arrow(marks, shape, numbers) {
      const list = points(shape, numbers);
      const [p, q] = list.map(place);
      let d = [q[0] - p[0], q[1] - p[1]];
      const length = Math.hypot(...d);
      if (!(length >= 1)) return;
      d = [d[0] / length, d[1] / length];
      const head = Math.min(size.head, 0.6 * length), half = (size.head_half * head) / size.head;
      const neck = [q[0] - head * d[0], q[1] - head * d[1]];
      const near = Math.max(...list.map(nearness)) + size.piece / stage.scale;
      marks.add("arrow", shape, near, [p, [neck[0] + d[0], neck[1] + d[1]]]);
      marks.add("head", shape, near, [q, [neck[0] - half * d[1], neck[1] + half * d[0]], [neck[0] + half * d[1], neck[1] - half * d[0]]]);
    },

    ground(marks, shape, numbers) {
      const list = points(shape, numbers), places = list.map(place);
      if (shape.dim === 3 && list.length > 2) {
        marks.add("area", shape, meanNearness(list), places, { shade: 0 });
        return;
      }
      for (let i = 0; i + 1 < places.length && !film.spatial; i++) addHatch(marks, shape, places[i], places[i + 1]);
      addLine(marks, "ground", shape, list);
    },

    text(marks, shape, numbers) {
      const [point] = points(shape, numbers);
      const number = numbers.length > shape.dim ? digits(shape.digits, numbers[shape.dim]) : "";
      marks.add("text", shape, 0, [place(point)], { text: shape.text + number });
    },
  };

  // Strokes on the right of a way, as engineers draw what does not move.
  function addHatch(marks, shape, p, q) {
    let d = [q[0] - p[0], q[1] - p[1]];
    const length = Math.hypot(...d);
    if (!(length >= 1) || !isNear(p) || !isNear(q)) return;
    d = [d[0] / length, d[1] / length];
    const count = Math.min(300, Math.floor(length / size.hatch_step) + 1);
    const step = count === 300 ? length / 300 : size.hatch_step;
    const first = Math.max(0, (length - (count - 1) * size.hatch_step) / 2), long = 0.75 * size.hatch_step;
    for (let i = 0; i < count; i++) {
      const top = [p[0] + (first + i * step) * d[0], p[1] + (first + i * step) * d[1]];
      marks.add("hatch", shape, 0, [top, [top[0] - long * (d[0] + d[1]), top[1] - long * (d[1] - d[0])]]);
    }
  }

  // The trail of all rows on the stage: strokes, which are lists of rows. It is interrupted where the point is not there or jumps at
  // an instant, in space it is cut into pieces, and rows that are nearer than a pixel to the last one are left out. It is made anew
  // when the view is another.
  function trailOf(shape) {
    if (shape.trail && shape.trail.view === stage.view) return shape.trail;
    const xs = new Float64Array(times.length), ys = new Float64Array(times.length), near = new Float64Array(times.length);
    const strokes = [];
    let rows = null, length = 0;
    for (let i = 0; i < times.length; i++) {
      const [point] = points(shape, numbersAt(shape, i, 0));
      [xs[i], ys[i]] = place(point);
      near[i] = nearness(point);
      if (!isNear([xs[i], ys[i]])) {
        rows = null;
        continue;
      }
      const last = rows ? rows[rows.length - 1] : i;
      const way = Math.hypot(xs[i] - xs[last], ys[i] - ys[last]);
      const jumps = i > 0 && times[i] === times[i - 1] && way > 1;
      if (rows && !jumps) {
        if (way < 1 && i + 1 < times.length) continue;
        rows.push(i);
        length += way;
      }
      if (!rows || jumps || (film.spatial && length >= size.piece)) {
        strokes.push((rows = [i]));
        length = 0;
      }
    }
    shape.trail = { view: stage.view, xs, ys, near, strokes };
    return shape.trail;
  }

  function addTrail(marks, shape, row, part) {
    const { xs, ys, near, strokes } = trailOf(shape);
    let last = -1;
    for (const rows of strokes) {
      if (rows[0] > row) break;
      let count = rows.length;
      while (rows[count - 1] > row) count--;
      last = rows[count - 1];
      if (count > 1) marks.add("trail", shape, (near[rows[0]] + near[last]) / 2, null, { xs, ys, rows, count });
    }
    // from there to where it is now
    if (last < 0 || !isNear([xs[row], ys[row]])) return;
    const [now] = points(shape, numbersAt(shape, row, part));
    marks.add("trail", shape, near[row], [[xs[last], ys[last]], [xs[row], ys[row]], place(now)]);
  }

  function marksAt(t) {
    const { row, part } = rowAt(t);
    const marks = new Marks();
    for (const shape of film.shapes) {
      if (shape.kind === "trail") {
        addTrail(marks, shape, row, part);
        continue;
      }
      const numbers = numbersAt(shape, row, part);
      if (numbers.every(Number.isFinite)) make[shape.kind](marks, shape, numbers);
    }
    marks.sort();
    return marks.list;
  }

  // ---- painting ----

  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  let isDark = false;
  const colour = (ink) => film.inks[ink][isDark ? 1 : 0];

  function tint(ink, shade) {
    const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    const paper = channels(colour(film.ink.paper)), own = channels(colour(ink));
    return `rgb(${paper.map((x, k) => Math.round(x + film.tints[shade] * (own[k] - x))).join(",")})`;
  }

  function chooseTheme() {
    isDark = film.theme === "dark" || (film.theme === "auto" && scheme.matches);
    const root = document.documentElement.style;
    root.colorScheme = isDark ? "dark" : "light";
    for (const name of ["paper", "text", "quiet", "grid"]) root.setProperty(`--${name}`, colour(film.ink[name]));
  }

  function addPlaces(places) {
    places.forEach((p, i) => (i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
  }

  function follow(places, isClosed) {
    pen.beginPath();
    addPlaces(places);
    if (isClosed) pen.closePath();
  }

  function stroke(mark) {
    pen.strokeStyle = colour(mark.ink);
    pen.lineWidth = size[mark.kind];
    pen.stroke();
  }

  // Pieces of trails with nothing else between are painted together, colour by colour: which of two thin lines is before the other is
  // hardly seen, and one long path is painted much faster than a thousand short ones.
  function paintTrails(trails) {
    for (const ink of new Set(trails.map((mark) => mark.ink))) {
      pen.beginPath();
      for (const mark of trails.filter((trail) => trail.ink === ink)) {
        if (mark.places) addPlaces(mark.places);
        else {
          pen.moveTo(mark.xs[mark.rows[0]], mark.ys[mark.rows[0]]);
          for (let i = 1; i < mark.count; i++) pen.lineTo(mark.xs[mark.rows[i]], mark.ys[mark.rows[i]]);
        }
      }
      stroke({ ink, kind: "trail" });
    }
  }

  function paintAll(marks) {
    for (let from = 0, end; from < marks.length; from = end) {
      end = from + 1;
      if (marks[from].kind === "trail") {
        while (end < marks.length && marks[end].kind === "trail") end++;
        paintTrails(marks.slice(from, end));
      } else {
        paint(marks[from]);
      }
    }
  }

  function paintText(mark) {
    const [x, y] = mark.places[0], off = size.text_off;
    pen.font = `${size.text}px Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif`;
    const room = pen.measureText(mark.text).width;
    const isLeft = x + off + room > stage.width && x - off - room > 0;
    const isBelow = y - off - size.text < 0;
    pen.textAlign = isLeft ? "right" : "left";
    pen.lineWidth = 3;
    pen.strokeStyle = colour(film.ink.paper);
    pen.fillStyle = colour(mark.ink);
    const at = [isLeft ? x - off : x + off, isBelow ? y + off + 0.7 * size.text : y - off];
    pen.strokeText(mark.text, ...at);
    pen.fillText(mark.text, ...at);
  }

  function paintSurface(mark) {
    if (mark.radius === undefined) {
      follow(mark.places, true);
    } else {
      pen.beginPath();
      pen.arc(...mark.places[0], mark.radius, 0, 2 * Math.PI);
    }
    const isDot = mark.kind === "dot";
    pen.fillStyle = isDot ? colour(mark.ink) : tint(mark.ink, mark.shade);
    pen.strokeStyle = colour(isDot ? film.ink.paper : mark.ink);
    pen.lineWidth = isDot ? size.halo : size.edge;
    pen.fill();
    pen.stroke();
  }

  function paint(mark) {
    if (mark.kind === "text") {
      paintText(mark);
    } else if (mark.kind === "dot" || mark.kind === "ring" || mark.kind === "area") {
      paintSurface(mark);
    } else if (mark.kind === "head") {
      follow(mark.places, true);
      pen.fillStyle = colour(mark.ink);
      pen.fill();
    } else {
      follow(mark.places, false);
      stroke(mark);
    }
  }

  function paintFloor() {
    const { low, high, grid, height } = film.view.floor;
    pen.beginPath();
    const line = (a, b) => {
      pen.moveTo(...place(a));
      pen.lineTo(...place(b));
    };
    for (let i = 0; i <= Math.round((high[0] - low[0]) / grid); i++) {
      line([low[0] + i * grid, low[1], height], [low[0] + i * grid, high[1], height]);
    }
    for (let i = 0; i <= Math.round((high[1] - low[1]) / grid); i++) {
      line([low[0], low[1] + i * grid, height], [high[0], low[1] + i * grid, height]);
    }
    pen.strokeStyle = colour(film.ink.grid);
    pen.lineWidth = size.grid;
    pen.stroke();
  }

  // Where the axes point, in a corner.
  function paintTriad() {
    const x = 42, y = stage.height - 36, arm = 24;
    pen.strokeStyle = pen.fillStyle = colour(film.ink.quiet);
    pen.lineWidth = 1;
    pen.font = "italic 12px Helvetica, Arial, sans-serif";
    pen.textAlign = "center";
    ["x", "y", "z"].forEach((name, k) => {
      const d = [arm * stage.right[k], -arm * stage.up[k]], length = Math.hypot(...d);
      if (length < 4) return;
      follow([[x, y], [x + d[0], y + d[1]]], false);
      pen.stroke();
      pen.fillText(name, x + d[0] + (8 * d[0]) / length, y + d[1] + (8 * d[1]) / length + 4);
    });
  }

  // A length that can be compared with the drawing: a bar in the plane, the lines of the floor in space.
  function paintScale() {
    const x = 18, y = stage.height - 12;
    pen.fillStyle = pen.strokeStyle = colour(film.ink.quiet);
    pen.font = "12px Helvetica, Arial, sans-serif";
    pen.textAlign = "left";
    if (film.spatial) {
      pen.fillText(`grid ${film.view.floor.grid}`, x, y);
      return;
    }
    const most = 120 / stage.scale, power = 10 ** Math.floor(Math.log10(most) + 1e-12);
    const factor = most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1, long = factor * power * stage.scale;
    for (const line of [[[x, y - 8], [x, y]], [[x, y - 4], [x + long, y - 4]], [[x + long, y - 8], [x + long, y]]]) follow(line, false), pen.stroke();
    pen.fillText(String(Number((factor * power).toPrecision(1))), x + long + 8, y);
  }

  // ---- the player ----

  const player = { t: from, isPlaying: false, isLooping: true, last: 0, isStale: true };
  const step = film.speed / film.fps;

  function draw() {
    player.isStale = false;
    pen.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0);
    pen.fillStyle = colour(film.ink.paper);
    pen.fillRect(0, 0, stage.width, stage.height);
    pen.lineCap = pen.lineJoin = "round";
    if (film.spatial) paintFloor();
    paintAll(marksAt(player.t));
    pen.lineWidth = 1;
    paintScale();
    if (film.spatial) paintTriad();
  }

  function show() {
    const text = `t = ${digits(film.timeDigits, player.t)}`;
    element("time").textContent = text;
    scrub.value = String((player.t - from) / step);
    scrub.setAttribute("aria-valuetext", text);
    player.isStale = true;
  }

  function goTo(t) {
    player.t = Math.min(to, Math.max(from, t));
    show();
  }

  function setPlaying(isPlaying) {
    if (isPlaying && player.t >= to) goTo(from);
    player.isPlaying = isPlaying && to > from;
    player.last = 0;
    element("play").setAttribute("aria-label", player.isPlaying ? "Pause" : "Play");
    element("play-icon").setAttribute("d", player.isPlaying ? "M4 3h4v14H4zM12 3h4v14h-4z" : "M5 3l12 7-12 7z");
  }

  function advance(now) {
    const seconds = player.last ? Math.min(0.25, (now - player.last) / 1000) : 0;
    player.last = now;
    const t = player.t + seconds * film.speed * Number(element("speed").value);
    if (t < to) goTo(t);
    else if (player.isLooping) goTo(player.t < to ? to : from);
    else {
      goTo(to);
      setPlaying(false);
    }
  }

  function tick(now) {
    if (player.isPlaying) advance(now);
    if (player.isStale) draw();
    window.requestAnimationFrame(tick);
  }

  // To the next frame, or to where there is one if it is between two.
  function stepBy(frames) {
    setPlaying(false);
    const now = (player.t - from) / step;
    goTo(from + step * (frames > 0 ? Math.floor(now + 1e-6) + frames : Math.ceil(now - 1e-6) + frames));
  }

  function setLooping(isLooping) {
    player.isLooping = isLooping;
    element("loop").setAttribute("aria-pressed", String(isLooping));
  }

  function resize() {
    fitStage();
    player.isStale = true;
  }

  function turnBy(azimuth, elevation) {
    eye.azimuth += azimuth;
    eye.elevation = Math.min(90, Math.max(-90, eye.elevation + elevation));
    turnEye();
    player.isStale = true;
  }

  function zoomBy(factor) {
    eye.zoom = Math.min(20, Math.max(0.2, eye.zoom * factor));
    resize();
  }

  function goHome() {
    Object.assign(eye, { azimuth: film.view.azimuth, elevation: film.view.elevation, zoom: 1 });
    turnEye();
    resize();
  }

  const keys = {
    " ": () => setPlaying(!player.isPlaying),
    k: () => setPlaying(!player.isPlaying),
    l: () => setLooping(!player.isLooping),
    ArrowLeft: () => stepBy(-1),
    ArrowRight: () => stepBy(1),
    Home: () => goTo(from),
    End: () => goTo(to),
  };
  const keysInSpace = {
    0: goHome,
    "+": () => zoomBy(1.2),
    "-": () => zoomBy(1 / 1.2),
    ArrowLeft: () => turnBy(-5, 0),
    ArrowRight: () => turnBy(5, 0),
    ArrowUp: () => turnBy(0, 5),
    ArrowDown: () => turnBy(0, -5),
  };

  function takeKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const tag = event.target.tagName;
    if (tag === "SELECT" || tag === "SUMMARY" || (tag === "BUTTON" && event.key === " ")) return; // they have a use of their own for keys
    const turns = film.spatial && (event.shiftKey || !event.key.startsWith("Arrow"));
    const action = (turns && keysInSpace[event.key]) || keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  function letTurn() {
    let held = null;
    canvas.classList.add("turns");
    element("home").hidden = false;
    canvas.addEventListener("pointerdown", (event) => {
      held = [event.clientX, event.clientY];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      turnBy(-0.4 * (event.clientX - held[0]), 0.4 * (event.clientY - held[1]));
      held = [event.clientX, event.clientY];
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (held = null));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoomBy(Math.exp(-0.0015 * event.deltaY));
    }, { passive: false });
  }

  function begin() {
    scrub.max = String((to - from) / step);
    chooseTheme();
    turnEye();
    fitStage();
    if (film.spatial) letTurn();
    if (film.note) {
      element("note").textContent = film.note;
      element("note").hidden = false;
    }
    element("play").addEventListener("click", () => setPlaying(!player.isPlaying));
    element("back").addEventListener("click", () => stepBy(-1));
    element("forward").addEventListener("click", () => stepBy(1));
    element("loop").addEventListener("click", () => setLooping(!player.isLooping));
    element("home").addEventListener("click", goHome);
    scrub.addEventListener("input", () => {
      setPlaying(false);
      goTo(from + step * Number(scrub.value));
    });
    document.addEventListener("keydown", takeKey);
    window.addEventListener("resize", resize);
    scheme.addEventListener("change", () => {
      chooseTheme();
      player.isStale = true;
    });
    goTo(from);
    setPlaying(!window.matchMedia("(prefers-reduced-motion: reduce)").matches);
    window.requestAnimationFrame(tick);
  }

  begin();
})();
