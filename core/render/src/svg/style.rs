//! Colours and fonts.

/// The font size of the title.
pub(super) const TITLE_SIZE: i32 = 15;

/// The style sheet that goes into every picture.
pub(super) const CSS: &str = "\
text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#343a40}
.page{fill:#fff}
.title{font-size:15px;font-weight:600;fill:#212529}
.frame rect{stroke-width:1}
.frame text{font-size:10px}
.loop rect{fill:#f0f9fa;stroke:#66b9c6}
.loop.d1 rect{fill:#e3f3f6}
.loop.d2 rect{fill:#d6edf1}
.loop.d3 rect{fill:#c9e7ec}
.loop text{fill:#0b7285}
.irreducible rect{fill:#fff4e8;stroke:#f08c3a}
.irreducible.d1 rect{fill:#ffe9d3}
.irreducible.d2 rect{fill:#ffdfbf}
.irreducible.d3 rect{fill:#ffd5ab}
.irreducible text{fill:#c2410c;font-weight:600}
.aside rect{fill:#fcfcfd;stroke:#ced4da;stroke-dasharray:3 3}
.aside text{fill:#868e96}
.edge .line{fill:none;stroke:#8a939c;stroke-width:1.2}
.edge .head{fill:#8a939c}
.edge .halo{fill:none;stroke:#fff;stroke-width:6;stroke-opacity:.8}
.back .line{stroke:#5f3dc4;stroke-dasharray:5 3}
.back .head{fill:#5f3dc4}
.dead .line{stroke:#adb5bd;stroke-dasharray:2 3}
.dead .head{fill:#adb5bd}
.edge.dead text{font-size:10px;fill:#868e96;text-anchor:middle}
.path .line{stroke:#d6336c}
.path .head{fill:#d6336c}
.path.back .line{stroke-dasharray:7 3}
.block rect{fill:#fff;stroke:#495057;stroke-width:1.2}
.block .name{font-weight:600;text-anchor:start}
.block .body{font-size:11px;text-anchor:start}
.off rect{fill:#fcfcfd;stroke:#adb5bd}
.off text,.off .name{fill:#868e96}
.path rect{fill:#fff0f6;stroke:#d6336c;stroke-width:1.8}
.path .name,.path .body{fill:#212529}
.start rect{fill:#343a40;stroke:#212529}
.start .name,.start .body{fill:#fff}
.end rect{fill:#e9ecef;stroke:#212529;stroke-width:1.4}
.end .name,.end .body{fill:#212529}
.end rect.inner{fill:none;stroke:#212529;stroke-width:1}
.dead rect{fill:#f8f9fa;stroke:#adb5bd;stroke-dasharray:3 2}
.dead .name,.dead .body{fill:#868e96}
.block .mark{fill:#e8590c;stroke:#e8590c;stroke-width:1.2}
.block rect.badge{fill:#d6336c;stroke:none}
.block text.badge{font-size:10px;font-weight:600;fill:#fff;text-anchor:middle}
.count rect{fill:#fff;stroke:#d6336c;stroke-width:.8}
.count text{font-size:10px;font-weight:600;fill:#c2255c;text-anchor:middle}
.legend text{font-size:10px;fill:#495057}
.facts{font-size:11px;fill:#343a40}
";
