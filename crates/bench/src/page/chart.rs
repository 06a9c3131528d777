//! Two kinds of chart: horizontal bars (stacked, with whiskers for the spread) and curves over time.
//!
//! Drawn by `plotters` in stand-in colours, which are then replaced by the names that the page's style defines.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::html::escape;

/// Colours for series, as the style names them.
pub(crate) const SERIES: usize = 8;

/// One bar: its parts, by series, drawn one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bar {
    pub label: String,
    pub parts: Vec<(usize, f64)>,
    /// Lowest and highest of the rounds.
    pub spread: Option<(f64, f64)>,
    /// Written behind the bar.
    pub note: String,
}

/// A chart of horizontal bars.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bars {
    pub title: String,
    pub unit: String,
    /// Names of the series; one name needs no legend.
    pub series: Vec<String>,
    pub bars: Vec<Bar>,
}

/// One curve.
#[derive(Debug, Clone, Default)]
pub(crate) struct Curve {
    pub name: String,
    /// Its series, so that one thing has one colour in all charts of a page.
    pub series: usize,
    pub values: Vec<f64>,
}

/// A chart of curves over time, one value a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Curves {
    pub title: String,
    pub unit: String,
    pub step_seconds: f64,
    pub curves: Vec<Curve>,
}

/// Stand-ins: ink, faint lines, then the series.
const INK: RGBColor = RGBColor(1, 2, 3);
const FAINT: RGBColor = RGBColor(4, 5, 6);

fn series_colour(n: usize) -> RGBColor {
    RGBColor(7, 8, u8::try_from(n % SERIES).unwrap_or(0))
}

impl Bars {
    /// As HTML: a figure with its title, legend and SVG; empty where there is nothing to show.
    pub(crate) fn figure(&self) -> String {
        let width = 860;
        let height = 64 + 34 * u32::try_from(self.bars.len()).unwrap_or(0);
        let mut svg = String::new();
        if self.bars.is_empty() || self.draw(&mut svg, width, height).is_none() {
            return String::new();
        }
        let legend: Vec<(usize, &str)> =
            self.series.iter().map(String::as_str).enumerate().filter(|(_, name)| !name.is_empty()).collect();
        figure(&self.title, &self.unit, if legend.len() > 1 { &legend } else { &[] }, &svg)
    }

    fn draw(&self, svg: &mut String, width: u32, height: u32) -> Option<()> {
        let total = |bar: &Bar| bar.parts.iter().map(|(_, v)| v).sum::<f64>();
        let most = self.bars.iter().map(|b| b.spread.map_or(0.0, |(_, high)| high).max(total(b))).fold(0.0, f64::max);
        let count = self.bars.len() as f64;
        let root = SVGBackend::with_string(svg, (width, height)).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin(6)
            .margin_right(110)
            .x_label_area_size(40)
            .y_label_area_size(230)
            .build_cartesian_2d(0.0..(most * 1.02).max(1e-9), 0.0..count)
            .ok()?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(TRANSPARENT)
            .bold_line_style(FAINT)
            .axis_style(FAINT)
            .x_labels(6)
            .x_desc(self.unit.as_str())
            .x_label_formatter(&|v| number(*v))
            .label_style(("sans-serif", 14, &INK))
            .axis_desc_style(("sans-serif", 13, &INK))
            .draw()
            .ok()?;
        let text = |size: i32, side| {
            TextStyle::from(("sans-serif", size).into_font()).color(&INK).pos(Pos::new(side, VPos::Center))
        };
        for (n, bar) in self.bars.iter().enumerate() {
            let middle = count - n as f64 - 0.5;
            let mut from = 0.0;
            for &(series, value) in bar.parts.iter().filter(|(_, v)| *v > 0.0) {
                let corners = [(from, middle - 0.28), (from + value, middle + 0.28)];
                let rectangle = Rectangle::new(corners, series_colour(series).filled());
                chart.draw_series(std::iter::once(rectangle)).ok()?;
                from += value;
            }
            let mut end = from;
            if let Some((low, high)) = bar.spread {
                let line = PathElement::new(vec![(low, middle), (high, middle)], INK.stroke_width(2));
                chart.draw_series(std::iter::once(line)).ok()?;
                end = end.max(high);
            }
            let (left, y) = chart.backend_coord(&(0.0, middle));
            let (right, _) = chart.backend_coord(&(end, middle));
            root.draw(&Text::new(shortened(&bar.label, 36), (left - 8, y), text(14, HPos::Right))).ok()?;
            root.draw(&Text::new(bar.note.clone(), (right + 8, y), text(13, HPos::Left))).ok()?;
        }
        root.present().ok()
    }
}

impl Curves {
    /// As HTML: a figure with its title, legend and SVG; empty where there is nothing to show.
    pub(crate) fn figure(&self) -> String {
        let mut svg = String::new();
        let long = self.curves.iter().any(|c| c.values.len() > 1);
        if !long || self.draw(&mut svg).is_none() {
            return String::new();
        }
        let names: Vec<(usize, &str)> = self.curves.iter().map(|c| (c.series, c.name.as_str())).collect();
        figure(&self.title, &self.unit, &names, &svg)
    }

    fn draw(&self, svg: &mut String) -> Option<()> {
        let most = self.curves.iter().flat_map(|c| &c.values).copied().fold(0.0, f64::max);
        let length = self.curves.iter().map(|c| c.values.len()).max()?;
        let seconds = self.step_seconds * length as f64;
        let root = SVGBackend::with_string(svg, (860, 280)).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin(8)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..seconds, 0.0..(most * 1.05).max(1e-9))
            .ok()?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(FAINT)
            .axis_style(FAINT)
            .x_desc("seconds")
            .y_desc(self.unit.as_str())
            .x_label_formatter(&|v| number(*v))
            .y_label_formatter(&|v| number(*v))
            .label_style(("sans-serif", 13, &INK))
            .draw()
            .ok()?;
        for curve in &self.curves {
            let at = |i: usize| (i as f64 + 0.5) * self.step_seconds;
            let points: Vec<(f64, f64)> = curve.values.iter().enumerate().map(|(i, &v)| (at(i), v)).collect();
            let colour = series_colour(curve.series);
            chart.draw_series(AreaSeries::new(points.clone(), 0.0, colour.mix(0.12))).ok()?;
            chart.draw_series(LineSeries::new(points, colour.stroke_width(2))).ok()?;
        }
        root.present().ok()
    }
}

fn figure(title: &str, unit: &str, legend: &[(usize, &str)], svg: &str) -> String {
    let mut keys = String::new();
    for (n, name) in legend {
        keys.push_str(&format!(
            "<span class=\"key\"><i style=\"background:var(--s{})\"></i>{}</span>",
            n % SERIES,
            escape(name)
        ));
    }
    format!(
        "<figure><figcaption>{}</figcaption><div class=\"legend\">{keys}</div><div class=\"plot\" tabindex=\"0\" role=\"img\" \
         aria-label=\"{}, in {}\">{}</div></figure>\n",
        escape(title),
        escape(title),
        escape(unit),
        coloured(svg)
    )
}

/// Stand-in colours to the names of the page's style; the fixed size to the page's width.
fn coloured(svg: &str) -> String {
    let hex = |RGBColor(r, g, b): RGBColor| format!("#{r:02X}{g:02X}{b:02X}");
    let mut out = svg.replace(&hex(INK), "var(--ink)").replace(&hex(FAINT), "var(--faint)");
    for n in 0..SERIES {
        out = out.replace(&hex(series_colour(n)), &format!("var(--s{n})"));
    }
    out
}

/// A number for an axis: no more digits than it needs.
fn number(value: f64) -> String {
    let text = if value.abs() >= 100.0 || value.fract().abs() < 1e-9 {
        format!("{value:.0}")
    } else if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Of a path the end is kept, of a name the beginning: that is where they differ.
fn shortened(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    if text.starts_with('/') {
        return format!("…{}", text.chars().skip(length - width + 1).collect::<String>());
    }
    format!("{}…", text.chars().take(width - 1).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_take_their_colours_from_the_page() {
        let bars = Bars {
            title: "Import & copy".into(),
            unit: "seconds".into(),
            series: vec!["copy".into(), "sync".into()],
            bars: vec![Bar {
                label: "cp <-a>".into(),
                parts: vec![(0, 3.0), (1, 1.5)],
                spread: Some((4.0, 5.0)),
                note: "4.5".into(),
            }],
        };
        let html = bars.figure();
        assert!(html.contains("var(--s0)") && html.contains("var(--s1)") && html.contains("var(--ink)"), "{html}");
        assert!(!html.contains("#0102") && !html.contains("#0708"), "{html}");
        assert!(html.contains("Import &amp; copy") && html.contains("cp &lt;-a&gt;") && !html.contains("<script"));
    }

    #[test]
    fn nothing_to_show_is_no_chart() {
        assert_eq!(Bars::default().figure(), "");
        assert_eq!(Curves::default().figure(), "");
    }

    #[test]
    fn axis_numbers_are_short() {
        assert_eq!([0.0, 0.25, 1.5, 12.5, 1500.0].map(number), ["0", "0.25", "1.5", "12.5", "1500"]);
    }
}
