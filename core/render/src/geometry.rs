//! Points and rectangles, in whole pixels, so that a picture is the same on every machine.

/// A point; y grows downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub(super) x: i32,
    pub(super) y: i32,
}

impl Point {
    pub(super) const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    pub(super) const fn shifted(self, by: Self) -> Self {
        Self::new(self.x + by.x, self.y + by.y)
    }
}

/// A rectangle, given by its upper left corner and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) w: i32,
    pub(super) h: i32,
}

impl Rect {
    pub(super) const fn new(at: Point, w: i32, h: i32) -> Self {
        Self { x: at.x, y: at.y, w, h }
    }

    /// The smallest rectangle around a line.
    pub(super) fn around(a: Point, b: Point) -> Self {
        let at = Point::new(a.x.min(b.x), a.y.min(b.y));
        Self::new(at, (a.x - b.x).abs(), (a.y - b.y).abs())
    }

    pub(super) const fn right(self) -> i32 {
        self.x + self.w
    }

    pub(super) const fn bottom(self) -> i32 {
        self.y + self.h
    }

    /// This rectangle with `by` more on each side.
    pub(super) const fn grown(self, by: i32) -> Self {
        Self { x: self.x - by, y: self.y - by, w: self.w + 2 * by, h: self.h + 2 * by }
    }

    /// Whether the insides of the two have a point in common. A line counts as its own inside.
    pub(super) const fn meets(self, other: Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }
}

/// `points` without repetitions and without points on the straight line between their neighbours.
pub(super) fn simplified(points: impl IntoIterator<Item = Point>) -> Vec<Point> {
    let mut line: Vec<Point> = Vec::new();
    for point in points {
        while let [.., before, last] = line[..] {
            let straight =
                before.x == last.x && last.x == point.x || before.y == last.y && last.y == point.y;
            if !straight {
                break;
            }
            line.pop();
        }
        if line.last() != Some(&point) {
            line.push(point);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_meet_what_they_run_through() {
        let rect = Rect::new(Point::new(10, 10), 20, 10);
        let line = |x1, y1, x2, y2| Rect::around(Point::new(x1, y1), Point::new(x2, y2));
        assert!(rect.meets(line(0, 15, 40, 15)));
        assert!(rect.meets(line(15, 0, 15, 12)));
        assert!(!rect.meets(line(10, 0, 10, 40)), "along the border");
        assert!(!rect.meets(line(15, 0, 15, 10)), "up to the border");
        assert!(!rect.meets(line(0, 25, 40, 25)));
    }

    #[test]
    fn straight_runs_become_one() {
        let at = |x, y| Point::new(x, y);
        let points = [at(0, 0), at(0, 5), at(0, 5), at(0, 9), at(4, 9), at(7, 9)];
        assert_eq!(simplified(points), [at(0, 0), at(0, 9), at(7, 9)]);
    }
}
