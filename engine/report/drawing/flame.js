/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Search by a part of a name, and a click that widens a frame to the whole width; reads nothing but the drawing. */
'use strict';
(function () {
	var frames = Array.prototype.slice.call(document.querySelectorAll('.f'));
	var found = document.getElementById('found'), box = document.getElementById('search');
	var left = 16, width = 1168, letter = 7.3;

	frames.forEach(function (g) {
		var r = g.querySelector('rect');
		g.x = +r.getAttribute('x');
		g.w = +r.getAttribute('width');
		g.y = +r.getAttribute('y');
		g.side = g.parentNode;
		g.name = g.querySelector('title').textContent.split('\n')[0];
	});

	function place(g, x, w) {
		var r = g.querySelector('rect'), t = g.querySelector('text'), room;
		var x0 = Math.max(x, left), x1 = Math.min(x + w, left + width);
		g.style.display = x1 - x0 > 0.1 ? '' : 'none';
		r.setAttribute('x', x0);
		r.setAttribute('width', Math.max(x1 - x0, 0));
		room = Math.floor((x1 - x0 - 6) / letter);
		if (!t) {
			t = document.createElementNS('http://www.w3.org/2000/svg', 'text');
			t.setAttribute('y', g.y + 13);
			g.appendChild(t);
		}
		t.setAttribute('x', x0 + 4);
		t.textContent = room < 3 ? '' : g.name.length <= room ? g.name : g.name.slice(0, room - 1) + '\u2026';
	}

	function zoom(to) {
		frames.forEach(function (g) {
			if (g.side === to.side)
				place(g, left + (g.x - to.x) * width / to.w, g.w * width / to.w);
		});
	}

	/* Frames inside one that was found are not counted again. */
	function search(part) {
		var sums = [], reached = new Map();
		part = part.toLowerCase();
		frames.forEach(function (g) {
			var hit = part !== '' && g.name.toLowerCase().indexOf(part) >= 0;
			g.classList.toggle('hit', hit);
			if (hit && g.x >= (reached.get(g.side) || 0) - 0.005) {
				sums.push(g);
				reached.set(g.side, g.x + g.w);
			}
		});
		found.textContent = part === '' ? '' : ['device', 'host'].map(function (side) {
			var sum = sums.reduce(function (w, g) { return g.side.id === side ? w + g.w : w; }, 0);
			return side + ' ' + (100 * sum / width).toFixed(1) + ' %';
		}).join(', ');
	}

	frames.forEach(function (g) { g.addEventListener('click', function () { zoom(g); }); });
	box.addEventListener('input', function () { search(box.value); });
})();
