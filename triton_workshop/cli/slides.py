"""Commands for a deck: present, validate, handout."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from triton_workshop.cli.common import fail, prepare_kernels, refuse_dumb_terminal, report_misuse
from triton_workshop.errors import print_wrapped
from triton_workshop.repository import ROOT

if TYPE_CHECKING:
    from triton_workshop.deck.consent import Consent
    from triton_workshop.page.bundle import PageBundle
    from triton_workshop.pool.address import Address
    from triton_workshop.viewer.sharing import Shared

DECK = Path("slides", "triton-workshop.md")

NO_PARTS = (
    "The room's pages show the slides, but run no kernels: what that needs has not been fetched on this machine. "
    "`uv run workshop handout --live` fetches it, or give a folder with --parts FOLDER."
)

app = typer.Typer()

Deck = Annotated[Path | None, typer.Argument(help=f"A Markdown deck; by default {DECK}.", show_default=False)]
# As presenterm calls them.
LetRun = Annotated[
    bool,
    typer.Option("-x", "--enable-snippet-execution", help="Let the deck's code run, on Ctrl+E or automatically."),
]
LetReplace = Annotated[
    bool,
    typer.Option(
        "-X", "--enable-snippet-execution-replace", help="Let code run whose output replaces it (+exec_replace)."
    ),
]
ShareOn = Annotated[
    str | None,
    typer.Option(
        metavar="[lan|ADDRESS]",
        help="Let a room follow in its browsers: on this machine, with lan in its network, or on an address.",
    ),
]
Port = Annotated[int | None, typer.Option(min=0, max=65535, metavar="N", help="The port to share on; by default 8000.")]
Url = Annotated[
    str | None,
    typer.Option(metavar="https://…", help="The address of the tunnel or proxy by which the room gets there."),
]
Proxy = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="The proxy's own address, if it says in X-Forwarded-For who is behind it."),
]
Gpus = Annotated[
    str | None,
    typer.Option(
        metavar="TOKEN@HOST:PORT", help="Let the room's kernels run on these GPUs, as `workshop gpus` prints them."
    ),
]
Outputs = Annotated[
    list[Path] | None, typer.Option(metavar="FILE.json", help="Take outputs from this file, or several; run nothing.")
]
PartsFolder = Annotated[
    Path | None,
    typer.Option(
        "--parts", metavar="FOLDER", help="Where parts of the page are already, on a machine without network."
    ),
]


@app.command()
def present(
    deck: Deck = None,
    slide: Annotated[int, typer.Option(min=1, metavar="N", help="The slide to start on.")] = 1,
    notes: Annotated[bool, typer.Option("--notes", help="Show your notes and the time, in a second terminal.")] = False,
    share: ShareOn = None,
    port: Port = None,
    url: Url = None,
    proxy: Proxy = None,
    gpus: Gpus = None,
    parts_folder: PartsFolder = None,
    run: LetRun = False,
    replace: LetReplace = False,
) -> None:
    """Show the slides in the terminal.

    Ctrl+E runs their code; ? lists all keys.

    Code in a deck from outside the workshop's repository runs only with -x or -X,
    or after you have seen it listed and agreed. With --notes, a second terminal
    shows the notes of the current slide, the next slide, and the time. With
    --share, w shows the address, the word and a QR code for the room. If standard
    output is not a terminal, the deck is printed as plain text, starting at
    slide N; with --notes, all notes are printed instead.
    """
    from triton_workshop.deck.consent import Consent

    path = deck_named(deck, "present")
    refuse_conflicts(
        slide,
        share,
        notes=notes,
        has_sharing_options=any(option is not None for option in (port, url, proxy, gpus, parts_folder)),
    )
    if not sys.stdout.isatty():
        print_deck(path, slide, notes=notes)
        return
    command = f"workshop present {shlex.quote(str(deck))}" if deck else "workshop present"
    refuse_dumb_terminal("present", f"{command}{' --notes' * notes} | cat")
    with report_deck_errors(path):
        if notes:
            # Does not return: the command ends with the notes.
            show_notes(path, command)
        prepare_kernels(needed=False)
        with report_misuse(), sharing(share, port, url, proxy, gpus, parts_folder) as shared:
            show_slides(path, slide, Consent(run, replace), shared)


def refuse_conflicts(slide: int, share: str | None, *, notes: bool, has_sharing_options: bool) -> None:
    """End `present` if its options, or its terminal, do not fit together."""
    if notes:
        if slide != 1:
            fail("--slide cannot be used with --notes: the notes follow the slides")
        if share is not None:
            fail("--share cannot be used with --notes; give it to the slides")
    if share is None and has_sharing_options:
        fail("--port, --url, --proxy, --gpus and --parts are about sharing the slides; add --share")
    lacks_keys = sys.stdout.isatty() and not sys.stdin.isatty()
    if lacks_keys:
        fail("present needs a terminal also for standard input, where your keys come from; leave out what redirects it")


def show_slides(path: Path, start: int, consent: Consent, shared: Shared | None) -> NoReturn:
    """Show a deck in the terminal.

    The command ends with the viewer's status.
    """
    from triton_workshop.viewer.start import starting

    with starting() as terminal:  # the terminal answers while the viewer is imported
        from triton_workshop.viewer.present import present as present_deck

        raise typer.Exit(present_deck(path, start=start, consent=consent, terminal=terminal, shared=shared))


@contextmanager
def report_deck_errors(path: Path) -> Iterator[None]:
    """Tell in a sentence what is wrong with a deck, with status 2."""
    from triton_workshop.deck.errors import DeckError

    try:
        yield
    except DeckError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{path}: cannot be read: {error.strerror or error}")


@contextmanager
def sharing(
    share: str | None,
    port: int | None,
    url: str | None,
    proxy: str | None,
    gpus: str | None,
    parts_folder: Path | None,
) -> Iterator[Shared | None]:
    """Share what is presented meanwhile. Raises MisuseError.

    Yields None if nobody asked for it.
    """
    if share is None:
        yield None
        return
    from importlib.util import find_spec

    if not all(map(find_spec, ("segno", "starlette", "uvicorn"))):
        fail("--share needs a web server, which is not installed yet; to install it: uv sync --extra room")
    from triton_workshop.room.addresses import PORT, parse_endpoint
    from triton_workshop.room.messages import GpuPool
    from triton_workshop.room.share import Share

    port = PORT if port is None else port
    endpoint = parse_endpoint(share, port, url or "", proxy or "")
    pool = None if gpus is None else GpuPool(str(pool_address(gpus)))
    with closing(Share(endpoint, bundle=inside_of_pages(parts_folder), pool=pool)) as shared:
        yield shared


def pool_address(text: str) -> Address:
    """Return the address of a room's GPUs, of which something answers there.

    Raises MisuseError.
    """
    from triton_workshop.pool.address import Address, require_ray

    address = Address.parse(text, "--gpus")
    require_ray()
    address.check_reachable()  # a wrong address is found before the slides are shown, not by the first attendee
    return address


def inside_of_pages(folder: Path | None) -> Path | None:
    """Return what lets the room's pages run kernels, if it is here.

    Nothing is fetched before a talk.
    """
    from triton_workshop.page import bundle
    from triton_workshop.page import parts as page_parts
    from triton_workshop.page.progress import progress_bar

    has_parts = folder is not None or page_parts.cached_parts() is not None
    if not has_parts:
        print_wrapped(NO_PARTS, sys.stderr)
        return None
    with progress_bar() as (report, advance):
        return bundle.build_bundle_file(folder, report, advance)


def with_share_value(arguments: list[str]) -> list[str]:
    """Give a bare `--share` of `present` its value.

    Typer has no options whose value can be left out.
    """
    if arguments[:1] != ["present"]:
        return arguments
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    result = []
    for argument, following in pairs:
        is_bare = argument == "--share" and not is_address(following)
        result.append("--share=127.0.0.1" if is_bare else argument)
    return result


def is_address(argument: str) -> bool:
    """Return whether `--share` takes this as its value.

    Otherwise it is the deck.
    """
    from ipaddress import ip_address

    try:
        return argument in ("lan", "localhost") or bool(ip_address(argument))
    except ValueError:
        return False


@app.command()
def validate(
    deck: Deck = None,
    only: Annotated[int | None, typer.Option(min=1, metavar="N", help="Run only the blocks of this slide.")] = None,
    timeout: Annotated[float, typer.Option(min=0, metavar="S", help="Stop a block after S seconds.")] = 60,
    limit: Annotated[float | None, typer.Option(min=0, metavar="S", help="Fail a block that takes longer.")] = None,
    run: LetRun = False,
    replace: LetReplace = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the machine, the versions and the results as Markdown.")
    ] = False,
) -> None:
    """Test a deck on this machine.

    It is read, its pictures are opened, and its code blocks run.

    Every block that is marked to run is run in the deck's folder, one after
    another, so validate only decks that you trust. A deck from outside the
    workshop's repository needs -x, -X or your consent. Exits with 0 if all is
    well, 1 if anything is wrong, and 2 if there is no such deck.
    """
    if json and markdown:
        fail("--json and --markdown cannot be used together; choose one")
    path = deck_named(deck, "validate")
    from triton_workshop.deck.consent import Consent
    from triton_workshop.deck.errors import NoSuchDeckError
    from triton_workshop.validating import NoSuchSlideError, Rules
    from triton_workshop.validating.commands import run_validate
    from triton_workshop.viewer.slides.fit import output_columns

    rules = Rules(timeout, limit, only, consent_to_run(path, Consent(run, replace), "validate"))
    prepare_kernels()
    try:
        raise typer.Exit(run_validate(path, rules, output_columns, as_json=json, as_markdown=markdown))
    except (NoSuchDeckError, NoSuchSlideError) as error:
        fail(str(error))


@app.command()
def handout(
    deck: Deck = None,
    file: Annotated[Path, typer.Option("-o", metavar="FILE.html", help="The file to write.")] = Path("handout.html"),
    outputs: Outputs = None,
    save_outputs: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Also write the outputs to this file, for --outputs.")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Let the page run the code, and check the exercises.")] = False,
    parts_folder: PartsFolder = None,
    run: LetRun = False,
    replace: LetReplace = False,
) -> None:
    """Write the slides as one HTML file, to take home.

    What their code prints is in it.

    With --live, the page runs the code and checks the exercises, without a
    network: it holds Python, numpy and the workshop, which are fetched once.
    Without a deck, such a page is the course: both of the workshop's decks.
    The code runs now, unless --outputs names a file in which an earlier
    handout saved what it printed. A deck from outside the workshop's
    repository needs -x, -X or your consent. Exits with 0 if every block ended
    as the deck promises, 1 if not, and 2 for misuse.
    """
    if outputs and save_outputs:
        fail("--outputs and --save-outputs cannot be used together: --outputs runs nothing that could be saved")
    path = deck_named(deck, "handout")
    from triton_workshop.deck.consent import Consent
    from triton_workshop.deck.errors import DeckError
    from triton_workshop.page.handout import run_handout

    consent = Consent(run, replace)
    if not outputs:
        consent = consent_to_run(path, consent, "handout")
        prepare_kernels()
    with report_misuse():
        try:
            gather = gathering(parts_folder) if live else None
            as_course = live and deck is None
            raise typer.Exit(run_handout(path, file, consent, outputs or (), save_outputs, gather, as_course=as_course))
        except DeckError as error:
            fail(str(error))


@app.command()
def site(
    folder: Annotated[Path, typer.Argument(help="The folder to write, such as what a web host publishes.")],
    deck: Deck = None,
    outputs: Outputs = None,
    url: Annotated[
        str, typer.Option(metavar="URL", help="Where the folder will be: links to it then show a picture.")
    ] = "",
    parts_folder: PartsFolder = None,
    run: LetRun = False,
    replace: LetReplace = False,
) -> None:
    """Write the slides as a web site.

    Its pages run their code and check the exercises.

    It is a folder of static files, which any web host can serve; no server of
    ours is needed. Without a deck, it is the course: both of the workshop's
    decks. Takes the same options as handout, and exits as it does.
    """
    path = deck_named(deck, "site")
    from triton_workshop.deck.consent import Consent
    from triton_workshop.deck.errors import DeckError
    from triton_workshop.page.handout import run_site

    consent = Consent(run, replace)
    if not outputs:
        consent = consent_to_run(path, consent, "site")
        prepare_kernels()
    with report_misuse():
        try:
            build = gathering(parts_folder)
            raise typer.Exit(run_site(path, folder, consent, outputs or (), build, as_course=deck is None, url=url))
        except DeckError as error:
            fail(str(error))


def gathering(parts_folder: Path | None) -> Callable[[], PageBundle]:
    """Return a function that gathers everything that kernels need in a page.

    It reports what it fetches, and how far it is.
    """
    from triton_workshop.page.bundle import build_bundle
    from triton_workshop.page.progress import progress_bar

    def gather() -> PageBundle:
        with progress_bar() as (report, advance):
            return build_bundle(parts_folder, report, advance)

    return gather


def consent_to_run(path: Path, granted: Consent, command: str) -> Consent:
    """Ask the user what may run of code from elsewhere.

    Ends the command if none of the deck's code may run.
    """
    from rich.console import Console

    from triton_workshop.deck import DeckError, load_deck
    from triton_workshop.deck.consent import NOTHING, in_force, live_code
    from triton_workshop.viewer.consent_prompt import consent_to

    try:
        deck = load_deck(path)
    except DeckError:  # the validation says so, and runs nothing
        return NOTHING
    can_ask = sys.stdin.isatty() and sys.stderr.isatty()
    consent = consent_to(deck, granted, Console(stderr=True, highlight=False)) if can_ask else granted
    is_refused = in_force(deck, consent) == NOTHING and any(live_code(deck))
    if is_refused:
        fail(f"{path}: did not run its code, which comes from elsewhere; to run it: workshop {command} -x {path}")
    return consent


def deck_named(deck: Path | None, command: str) -> Path:
    """Return the deck that a command was given, or the workshop's own.

    The latter is here, in a folder above, or beside the package. Ends the command if there is none.
    """
    above = (folder / DECK for folder in (Path.cwd(), *Path.cwd().parents, ROOT))
    path = deck or next(filter(Path.is_file, above), None)
    if path is None:
        fail(f"no {DECK} here or in a folder above; name a deck: workshop {command} DECK")
    if not path.is_file():
        fail(f"{path}: expected a Markdown deck, found {'a folder' if path.is_dir() else 'no such file'}")
    if path.suffix == ".py":
        fail(f"{path}: expected a Markdown deck, found a Python script; to run it: uv run {shlex.quote(str(path))}")
    return path


def show_notes(path: Path, command: str) -> NoReturn:
    """Show a deck's notes beside slides that `command` starts."""
    from triton_workshop.viewer.notes.app import show_notes as show
    from triton_workshop.viewer.notes.channel import CannotListenError

    try:
        raise typer.Exit(show(path, f"uv run {command}"))
    except CannotListenError as error:
        fail(str(error))


def print_deck(path: Path, start: int, *, notes: bool) -> None:
    """Print a deck from slide `start` on, or all of its notes."""
    from triton_workshop.deck import load_deck

    with report_deck_errors(path):
        deck = load_deck(path)
    if start > len(deck.slides):
        fail(f"{path}: no slide {start}; it has {len(deck.slides)}")
    from triton_workshop.printing import print_utf8
    from triton_workshop.viewer.notes.plain import plain_notes
    from triton_workshop.viewer.slides.plain import plain_text

    print_utf8(plain_notes(deck) if notes else plain_text(deck, start))
