//! What is inside of what shall be signed, as the server computed it: lines for whoever decides.

use chancery_client::ClientError;
use chancery_types::wire::signing_requests::{
    Include, IncludeOfItems, ItemChange, ItemsQuery, ManifestChanges, SigningRequest, UploadContents,
};
use chancery_verify::hexadecimal;

use crate::{client::connection::Connection, output};

type Line = (&'static str, String);

/// Names of one kind that are shown: all of them are under `chancery request items`.
const NAMES_MAX: usize = 20;
const PAGE: u32 = 1_000;

/// How much is known of what is inside, without looking: in a list of what waits.
pub(super) fn in_short(request: &SigningRequest) -> Vec<Line> {
    if request.manifest.is_some() {
        return vec![("content", "digests alone: nobody there has seen the files".to_owned())];
    }
    let content = match request.upload_size {
        None => "unknown: a digest alone was submitted, and nobody there has seen the file".to_owned(),
        Some(size) => format!("{size} bytes: chancery approve {} shows what is inside", request.uuid),
    };
    vec![("content", content)]
}

/// What is inside of a request. Where the server cannot tell, that is said, and the request can be denied all the same.
pub(super) fn lines(connection: &Connection, request: &SigningRequest) -> Vec<Line> {
    if request.manifest.is_none() && request.upload_size.is_none() {
        return in_short(request);
    }
    match found(connection, request) {
        Ok(lines) => lines,
        Err(error) => vec![("content", format!("cannot be shown: {error}"))],
    }
}

fn found(connection: &Connection, request: &SigningRequest) -> Result<Vec<Line>, ClientError> {
    let found = connection.client.signing_request_with(request.uuid, Include::Contents)?;
    let mut lines = Vec::new();
    if let Some(contents) = &found.contents {
        lines.extend(upload(request.upload_size.unwrap_or_default(), contents));
    }
    if let Some(changes) = &found.manifest_changes {
        lines.extend(manifest(connection, request, changes)?);
    }
    Ok(lines)
}

fn upload(size: u64, contents: &UploadContents) -> Vec<Line> {
    let sha256 = hexadecimal(&contents.sha256.0);
    let mut lines = vec![("content", format!("{size} bytes; sha256sum prints {sha256}"))];
    let Some(kind) = contents.kind else { return lines };
    let details = [
        contents.machine.clone(),
        contents.lines.map(|count| output::counted(count, "line")),
        contents.entries_total.map(|count| if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }),
    ];
    let details: Vec<_> = std::iter::once(kind.to_string()).chain(details.into_iter().flatten()).collect();
    lines.push(("inside", details.join(", ")));
    lines.extend(contents.properties.iter().map(|one| ("it says", format!("{}: {}", one.name, one.value))));
    if contents.is_cut {
        lines.push(("it says", "more than is shown here".to_owned()));
    }
    if !contents.entries.is_empty() {
        let entries = contents.entries.iter().map(|entry| format!("{}  {} bytes", entry.name, entry.size));
        lines.extend(some("entry", entries, contents.entries_total.unwrap_or_default()));
    }
    lines.push(("signatures", format!("{} in it already, verified by nobody", contents.signatures_total)));
    lines.extend(contents.signatures.iter().map(|one| {
        let who = one.subject.as_deref().unwrap_or("somebody whose certificate cannot be read");
        ("it says", format!("signed by {who}"))
    }));
    lines
}

fn manifest(
    connection: &Connection,
    request: &SigningRequest,
    changes: &ManifestChanges,
) -> Result<Vec<Line>, ClientError> {
    let mut lines = in_short(request);
    let Some(since) = &changes.since else {
        lines.push(("new", "all names: no manifest was signed under this policy before".to_owned()));
        return Ok(lines);
    };
    let ManifestChanges { added, changed, same, gone, .. } = changes;
    let signed_at = changes.since_signed_at.as_deref().unwrap_or("?");
    lines.extend([
        ("since", format!("{} ({}), signed {signed_at}", since.name, since.uuid)),
        ("changes", format!("{added} new, {changed} with another digest, {same} the same, {gone} gone")),
    ]);
    let [new, other] = names(connection, request, *added, *changed)?;
    lines.extend(some("new", new.into_iter(), (*added).into()));
    lines.extend(some("changed", other.into_iter(), (*changed).into()));
    lines.extend(some("gone", changes.gone_names.iter().cloned(), (*gone).into()));
    Ok(lines)
}

/// The first names that are new, and the first whose digest is another.
fn names(
    connection: &Connection,
    request: &SigningRequest,
    added: u32,
    changed: u32,
) -> Result<[Vec<String>; 2], ClientError> {
    let enough = |count: u32| usize::try_from(count).unwrap_or(NAMES_MAX).min(NAMES_MAX);
    let (mut new, mut other) = (Vec::new(), Vec::new());
    for page in 1.. {
        if new.len() >= enough(added) && other.len() >= enough(changed) {
            break;
        }
        let query = ItemsQuery {
            page: Some(page),
            page_size: Some(PAGE),
            include: Some(IncludeOfItems::Changes),
            ..ItemsQuery::default()
        };
        let items = connection.client.signed_items_page(request.uuid, &query)?.items;
        if items.is_empty() {
            break;
        }
        for item in items {
            match item.change {
                Some(ItemChange::Added) => new.push(item.name),
                Some(ItemChange::Changed) => other.push(item.name),
                Some(ItemChange::Same) | None => {}
            }
        }
    }
    Ok([new, other])
}

/// The first of so many.
fn some(what: &'static str, names: impl Iterator<Item = String>, total: u64) -> Vec<Line> {
    let mut lines: Vec<_> = names.take(NAMES_MAX).map(|name| (what, name)).collect();
    let more = total.saturating_sub(lines.len() as u64);
    lines.extend((more > 0).then(|| (what, format!("and {more} more"))));
    lines
}
