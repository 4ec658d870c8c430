//! A route's tests stand at its path: a reader with the interface in hand finds both without searching.

use std::path::Path;

use super::source::Source;

const ROUTES: &str = "crates/chancery-server/src/routes/";
const TESTS: &str = "crates/chancery-server/tests/it/routes/";

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let is_there = |path: String| sources.iter().any(|source| source.path == Path::new(&path));
    let has_tests = |route: &str| {
        let name = route.trim_end_matches("/mod.rs").trim_end_matches(".rs");
        is_there(format!("{TESTS}{name}.rs")) || is_there(format!("{TESTS}{name}/mod.rs"))
    };
    let routes = sources.iter().filter_map(|source| {
        let route = source.path.to_str()?.strip_prefix(ROUTES)?;
        source.code().any(|(_, line)| line.contains("async fn ")).then_some((source, route))
    });
    routes
        .filter(|(_, route)| !has_tests(route))
        .map(|(source, route)| source.complain(1, &format!("its tests are to stand in {TESTS}{route}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_has_tests_at_its_path() {
        let route = Source::of(&format!("{ROUTES}api/v2/audit.rs"), "pub(crate) async fn audit() {}\n");
        let file = |path: &str| Source::of(&format!("{TESTS}{path}"), "");
        assert_eq!(check(&[route]).len(), 1);
        let route = || Source::of(&format!("{ROUTES}api/v2/audit.rs"), "pub(crate) async fn audit() {}\n");
        assert_eq!(check(&[route(), file("api/v2/audit.rs")]).len(), 0);
        assert_eq!(check(&[route(), file("api/v2/audit/mod.rs")]).len(), 0);
        assert_eq!(check(&[route(), file("api/v2/audits.rs")]).len(), 1);
        assert_eq!(check(&[Source::of(&format!("{ROUTES}names.rs"), "fn names() {}\n")]).len(), 0);
    }
}
