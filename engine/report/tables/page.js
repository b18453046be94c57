/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the mark of a picture under the pointer or chosen by arrow keys; sorts and filters tables. The page is complete
 * without it. */
'use strict';
(function () {
	var reach = 4; /* pixels: marks closer than this are in the same row or column */

	function centre(mark) {
		var box = mark.getBoundingClientRect();
		return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
	}

	/* Returns the nearest mark in a direction; (x, y) is one of (1, 0), (-1, 0), (0, 1), (0, -1). */
	function next(marks, from, x, y) {
		var at = centre(from), best = null, least = Infinity;
		marks.forEach(function (mark) {
			var to = centre(mark), ahead = (to.x - at.x) * x + (to.y - at.y) * y;
			var aside = Math.abs((to.x - at.x) * y) + Math.abs((to.y - at.y) * x);
			var cost = ahead + 4 * aside;
			if (mark !== from && ahead > (y ? reach : 0.01) && (y || reach > aside) && least > cost) {
				least = cost;
				best = mark;
			}
		});
		return best;
	}

	function prepare(chart) {
		var marks = Array.prototype.slice.call(chart.querySelectorAll('.m')), chosen = null;
		var line = document.createElement('p');
		if (!marks.length)
			return;
		line.className = document.querySelector('.readout') ? 'readout' : 'readout hint';
		line.setAttribute('aria-live', 'polite');
		chart.parentNode.insertAdjacentElement('afterend', line);
		chart.setAttribute('tabindex', '0');

		function show(mark) {
			line.textContent = mark ? mark.querySelector('title').textContent : '';
		}
		function choose(mark) {
			if (chosen)
				chosen.classList.remove('on');
			chosen = mark;
			if (mark)
				mark.classList.add('on');
			show(mark);
		}
		chart.addEventListener('pointerover', function (event) {
			show(event.target.closest('.m') || chosen);
		});
		chart.addEventListener('pointerleave', function () { show(chosen); });
		chart.addEventListener('blur', function () { choose(null); });
		chart.addEventListener('keydown', function (event) {
			var way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
			if (event.key === 'Home' || (way && !chosen))
				choose(marks[0]);
			else if (event.key === 'End')
				choose(marks[marks.length - 1]);
			else if (way)
				choose(next(marks, chosen, way[0], way[1]) || chosen);
			else
				return;
			event.preventDefault();
		});
	}

	/* Sorts the bodies of a table by a column. Values come before cells without one. */
	function sort(table, column, down) {
		var bodies = Array.prototype.slice.call(table.tBodies);
		function key(body) {
			var cell = body.rows[0].cells[column];
			return cell.dataset.v === undefined ? cell.textContent.trim().toLowerCase() : +cell.dataset.v;
		}
		function compare(a, b) {
			var x = key(a), y = key(b);
			if (typeof x !== typeof y)
				return typeof x === 'number' ? -1 : 1;
			return x === y ? 0 : (x > y) === down ? -1 : 1;
		}
		bodies.sort(compare).forEach(function (body) { table.appendChild(body); });
	}

	function addSwitch(table, head, column) {
		var button = document.createElement('button');
		button.type = 'button';
		while (head.firstChild)
			button.appendChild(head.firstChild);
		head.appendChild(button);
		button.addEventListener('click', function () {
			var before = head.getAttribute('aria-sort');
			var down = before ? before === 'ascending' : head.classList.contains('right');
			Array.prototype.forEach.call(table.tHead.rows[0].cells, function (other) { other.removeAttribute('aria-sort'); });
			head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
			sort(table, column, down);
		});
	}

	function addFilter(table) {
		var bodies = Array.prototype.slice.call(table.tBodies), label = document.createElement('label');
		var box = document.createElement('input'), count = document.createElement('span');
		label.className = 'filter';
		label.textContent = 'Filter ';
		box.type = 'search';
		box.placeholder = 'operator, kernel, shape or file';
		count.setAttribute('aria-live', 'polite');
		label.appendChild(box);
		label.appendChild(count);
		table.parentNode.insertAdjacentElement('beforebegin', label);
		box.addEventListener('input', function () {
			var wanted = box.value.trim().toLowerCase(), left = 0;
			bodies.forEach(function (body) {
				var found = body.textContent.toLowerCase().indexOf(wanted) >= 0;
				body.hidden = !found;
				left += found;
			});
			count.textContent = wanted ? left + ' of ' + bodies.length : '';
		});
	}

	function prepareTable(table) {
		if (2 > table.tBodies.length)
			return;
		Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
			addSwitch(table, head, column);
		});
		addFilter(table);
	}

	Array.prototype.forEach.call(document.querySelectorAll('.chart:not(.labelled)'), prepare);
	Array.prototype.forEach.call(document.querySelectorAll('.sorts'), prepareTable);
})();
