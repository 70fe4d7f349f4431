#!/usr/bin/env python3
"""Pages and public headers are for readers who have not read the code: the worst of our private idioms stay out of
them. Each mistake names the file, the line and what to write instead.

    words.py SOURCE-DIRECTORY

The changelog is left alone, since it says what was, and so are blocks of code and `code` within a line.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Idiom:
    pattern: str  # a space in it matches any white space, line breaks included
    instead: str
    found_in: str  # the self-test: sentences in which it has to be found, separated by "|"
    not_found_in: str = ""  # and good ones in which it must not be
    case_matters: bool = False

    def finder(self) -> re.Pattern[str]:
        flags = re.NOFLAG if self.case_matters else re.IGNORECASE
        return re.compile(self.pattern.replace(" ", r"\s+"), flags)


# Things, and what they are counted by: "one message per phase".
COUNTED = "rank|message|exchange|step|copy|tag|token|barrier|row|line|column|library|test|file|thread|all-reduce"
PER = "rank|machine|phase|layer|node|pair|queue|communicator|cluster|job|size|block|class|line"

IDIOMS = (
    Idiom(
        r"\b(?:MPI|MPICH|library)(?:'s|s') own\b",
        "native: native routine, native call, native time; or: the MPI library's default algorithm",
        "It took what the MPI's own takes.|Open MPI's\nown is faster.|the MPIs' own routines|this MPI library's own",
        "The native routine is faster.|Each MPI owns its communicators.",
    ),
    Idiom(
        r"\bwho(?:so)?ever\b",
        "the subject: a rank that ..., a user who ...",
        "Whoever is slow waits.|for whoever looks after it",
        "A rank that is slow waits.|whatever, whenever",
    ),
    Idiom(
        r"\b(?:nobody|somebody|anybody|everybody)\b",
        "the subject: no rank, a user, any program, every caller",
        "Nobody asked.|somebody else's|for anybody|full_placement() is everybody",
        "No user asked.|some body of text",
    ),
    Idiom(
        r"(?:\A|\n\s*\n\s*|[.:;] )Who "
        r"(?:is|has|does|gets|takes|knows|lacks|wants|needs|comes|sends|reads)\b(?![^.?]*\?)",
        "the subject: a rank that ..., a candidate that ...",
        "It ends. Who has none waits.|Who is much faster keeps its place.",
        "Who is in charge?|A user who is in doubt asks.",
        case_matters=True,
    ),
    Idiom(
        r"(?:///< |[;.] )(?:nothing|null|empty):",
        "nullopt if ..., null if ..., empty if ...",
        "int* value;  ///< null: default|///< nothing: not known|///< a kind; empty: all|Its name. Empty: it has none.",
        "///< null if there is none|///< nothing is measured before it|empty if it has none",
    ),
    Idiom(r"\bin passing\b", "asynchronously; non-blocking", "It is told in passing.", "passing in a value"),
    Idiom(
        r"\bbut for\b",
        "except, except for; without",
        "All ranks, but for rank 0, wait.|everything but\nfor links",
        "not for speed but to be safe",
    ),
    Idiom(r"\bin vain\b", "without effect; without result", "It searched in vain.", "in vein"),
    Idiom(
        r"\b(?:purses?|crown(?:s|ed)?)\b",
        "exploration budget; promote",
        "each with a purse|it is crowned",
        "purpose",
    ),
    Idiom(
        r"\b(?:whose turn|(?:its|the) (?:first|second|next) turn|turns to come)\b",
        "trial: the next trial, which candidate is tried",
        "It says whose turn it is.|at the first turn|keeps its next turn|turns to come",
        "measured in turn|it turns out",
    ),
    Idiom(
        r"\b(?:sits?|decides?|ranks|judged|treated) alike\b",
        "identically; the same on all ranks; has the same placement",
        "Ranks sit alike.|They decide alike.|on all ranks alike",
        "links that are alike",
    ),
    Idiom(r"\bgo(?:es|ing)? on with\b", "resumes from, inherits", "It goes on with a copy.", "it goes on; with it"),
    Idiom(r", too(?=[.,;:)])", "also", "They may use it, too.|and that, too, is checked", "too much|far too long"),
    Idiom(r"\bof ours\b", "internal; our ...", "a communicator of ours", "of our communicators"),
    Idiom(
        r"\bby the clock\b",
        "time-triggered; at a scheduled time",
        "Segments start by the clock.",
        "measured with the same clock",
    ),
    Idiom(
        rf"\b(?:one(?: (?:{COUNTED}))?|ranks|messages|exchanges|copies|object|program|leader) an? (?:{PER})\b",
        "per machine, per phase, ...",
        "one message a phase|one a line|four ranks a machine|a shared object a layer",
        "one message per phase|gives each a machine|which exchange a communicator uses",
    ),
    Idiom(
        r"\bso (?:many|long)\b(?! (?:as|that|\w+ that))",
        "N, or the quantity's name",
        "in so many phases",
        "so long as|so many messages that it fails",
    ),
    Idiom(
        r"\b(?:unasked|asked about)\b",
        "agreed collectively; decided without a reduction",
        "calls that are asked about|an unasked call",
        "a user asked for it",
    ),
)

# Not read: parts of docs/experiments.md that lab/report writes; their words are in lab/reproduction.
WRITTEN_BY_LAB = re.compile(r"<!-- (\S+): written by lab/report -->.*?<!-- \1: end -->", re.DOTALL)
CODE_BLOCK = re.compile(r"^[ \t]*```.*?^[ \t]*```[^\n]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
COMMENT_MARK = re.compile(r"^[ \t]*(?:///?(?![/<])|\*(?!/))", re.MULTILINE)


def blank(match: re.Match[str]) -> str:
    """White space in the match's place, so that what is found behind it has its old line."""
    return re.sub(r"[^\n]", " ", match.group())


def prose_of_page(text: str) -> str:
    return CODE.sub(blank, CODE_BLOCK.sub(blank, WRITTEN_BY_LAB.sub(blank, text)))


def prose_of_header(text: str) -> str:
    """The comments alone, without the marks at the beginnings of their lines; all else is blank."""
    kept, end = [], 0
    for match in COMMENT.finditer(text):
        kept.append(re.sub(r"[^\n]", " ", text[end : match.start()]))
        is_comment = match.group().startswith("/")
        kept.append(match.group() if is_comment else blank(match))
        end = match.end()
    kept.append(re.sub(r"[^\n]", " ", text[end:]))
    return CODE.sub(blank, COMMENT_MARK.sub(blank, "".join(kept)))


def mistakes_in(name: str, prose: str) -> list[str]:
    found = []
    for idiom in IDIOMS:
        for match in idiom.finder().finditer(prose):
            words = match.group().lstrip(" \n.:;,")
            line = prose.count("\n", 0, match.end() - len(words)) + 1
            words = " ".join(words.split())
            found.append((line, f"{name}:{line}: '{words}'; write: {idiom.instead}"))
    return [mistake for _, mistake in sorted(found)]


def self_test() -> list[str]:
    """Every idiom is found where it is, in a page and in a comment, with its line, and not where it is not."""
    wrong = []
    for idiom in IDIOMS:
        for sentence in idiom.found_in.split("|"):
            comment = sentence if "///<" in sentence else "\n".join(f"/// {line}" for line in sentence.split("\n"))
            for kind, prose in (
                ("page", prose_of_page(f"A `b` of it.\n\n{sentence}\n")),
                ("header", prose_of_header(f'int a = f("b");\n\n{comment}\n')),
            ):
                if not any(mistake.startswith("it:3: ") for mistake in mistakes_in("it", prose)):
                    wrong.append(f"words.py: {idiom.pattern} is not found in the {kind} '{sentence}'")
        for sentence in filter(None, idiom.not_found_in.split("|")):
            if idiom.finder().search(sentence):
                wrong.append(f"words.py: {idiom.pattern} is found in '{sentence}'")
    for code in ("```\nnobody\n```\n", "`nobody`\n"):
        if mistakes_in("it", prose_of_page(code)):
            wrong.append(f"words.py: code is read as prose: {code!r}")
    if mistakes_in("it", prose_of_header('auto nobody = "nobody // nobody";\n')):
        wrong.append("words.py: a header's code is read as prose")
    return wrong


def prose_files(source: Path) -> dict[str, str]:
    pages = [*source.glob("*.md"), *(source / "docs").rglob("*.md")]
    headers = [*(source / "include").rglob("*.hpp"), *(source / "include").rglob("*.h")]
    found = {}
    for path in sorted([*pages, *headers]):
        name = path.relative_to(source).as_posix()
        if path.name != "CHANGELOG.md":
            text = path.read_text(encoding="utf-8")
            found[name] = prose_of_page(text) if path.suffix == ".md" else prose_of_header(text)
    return found


def main() -> int:
    files = prose_files(Path(sys.argv[1]))
    wrong = self_test()
    for name, prose in files.items():
        wrong += mistakes_in(name, prose)
    for mistake in wrong:
        print(mistake, file=sys.stderr)
    print(f"{len(files)} pages and headers, {len(wrong)} mistakes")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
