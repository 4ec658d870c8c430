//! The examples of docs/INTERFACE.md: pairs of `http` blocks, a request and its answer.

/// One example, with the line at which its request stands.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) line: usize,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
    pub(super) answer: Answer,
}

/// What is expected.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

/// Head lines and body of one block.
struct Block<'a> {
    line: usize,
    first: &'a str,
    headers: Vec<(String, String)>,
    body: String,
}

/// All examples, in the order of the document. Panics, naming the line, where a block is not as described.
pub(super) fn examples(markdown: &str) -> Vec<Example> {
    let blocks = blocks(markdown);
    assert!(
        blocks.len().is_multiple_of(2),
        "each request needs its answer; the last block is at line {}",
        blocks[blocks.len() - 1].line
    );
    blocks.chunks(2).map(|pair| example(&pair[0], &pair[1])).collect()
}

fn example(request: &Block<'_>, answer: &Block<'_>) -> Example {
    let (method, path) = request.first.split_once(' ').unwrap_or_else(|| panic!("line {}: METHOD PATH", request.line));
    let status = answer.first.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.split(' ').next()?.parse().ok());
    Example {
        line: request.line,
        method: method.to_owned(),
        path: path.to_owned(),
        headers: request.headers.clone(),
        body: request.body.clone(),
        answer: Answer {
            status: status.unwrap_or_else(|| panic!("line {}: HTTP/1.1 STATUS", answer.line)),
            headers: answer.headers.clone(),
            body: answer.body.clone(),
        },
    }
}

fn blocks(markdown: &str) -> Vec<Block<'_>> {
    let mut lines = markdown.lines().enumerate();
    let mut blocks = Vec::new();
    while let Some((index, line)) = lines.next() {
        if line != "```http" {
            continue;
        }
        let text: Vec<_> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let head = text.iter().position(|line| line.is_empty()).unwrap_or(text.len());
        let headers = text[1..head].iter().map(|line| {
            let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("line {index}: not a header: {line}"));
            (name.to_owned(), value.to_owned())
        });
        let body = text.get(head + 1..).unwrap_or_default().join("\n");
        blocks.push(Block { line: index + 2, first: text[0], headers: headers.collect(), body });
    }
    blocks
}
