//! Notices what other processes do to the library: an import by command line, a mark by `lightfast mark`.
//!
//! The catalogue counts its changes; asking for that number costs nothing, so it is asked ten times a second and
//! every page is told when it has grown. What changed is for the page to ask.

use std::time::Duration;

use lightfast_catalog::Catalog;

use crate::App;

const PAUSE: Duration = Duration::from_millis(100);

/// Watches for as long as it is polled.
pub(crate) async fn watch(app: App) {
    let mut seen = None;
    loop {
        let state = app.library.read(|catalog: &Catalog| Ok((catalog.made()?, catalog.revision()?))).await;
        if let Ok((made, revision)) = state {
            if let Some((before, _)) = seen.filter(|before| *before != (made, revision)) {
                if before == made {
                    app.live.changed(revision);
                } else {
                    // Another catalogue: rows mean something else now.
                    app.live.tell("resync", &serde_json::json!({}));
                }
            }
            seen = Some((made, revision));
        }
        tokio::time::sleep(PAUSE).await;
    }
}
