"""What mkdocs.yml needs beyond docs/: pages there may link to any file of the repository, as they do on a code host. Such a file
becomes a page of the site under source/; a link to what is not there fails the build."""

import logging
import os
import posixpath
import re

from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.tidepool")
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".c": "c", ".py": "python", ".comp": "glsl"}


def root(config):
    return os.path.dirname(config["config_file_path"])


def place_of(path):
    """Where a file of the repository is in the site."""
    if path.startswith("docs/"):
        return path[len("docs/"):]
    return "source/" + (path if path.endswith(".md") else path + ".md")


def links(text):
    """The links outside of code, as matches."""
    code = [m.span() for m in re.finditer(r"^```.*?^```$|`[^`\n]*`(?!\])", text, re.MULTILINE | re.DOTALL)]
    return [m for m in LINK.finditer(text) if "://" not in m[2] and not any(a <= m.start() < b for a, b in code)]


def target_of(page, link):
    """The file of the repository that a link leads to; pages are named from the root."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def outside(config):
    """Files outside of docs/ that pages lead to, from one to the next."""
    found, waiting = set(), []
    for folder, _, names in os.walk(config["docs_dir"]):
        waiting += [os.path.relpath(os.path.join(folder, n), root(config)) for n in names if n.endswith(".md")]
    while waiting:
        page = waiting.pop()
        with open(os.path.join(root(config), page), encoding="utf-8") as file:
            for match in links(file.read()):
                path = target_of(page, match[2])
                if path.startswith("docs/") or path in found:
                    continue
                if not os.path.isfile(os.path.join(root(config), path)):
                    log.warning("%s leads to %s, which is no file", page, path)
                    continue
                found.add(path)
                if path.endswith(".md"):
                    waiting.append(path)
    return sorted(found)


def on_files(files, config):
    made = os.path.join(root(config), "build", "site-source")
    for path in outside(config):
        with open(os.path.join(root(config), path), encoding="utf-8") as file:
            text = file.read()
        if not path.endswith(".md"):
            language = LANGUAGES.get(os.path.splitext(path)[1], "text")
            text = f"# {path}\n\n~~~~{language}\n{text}\n~~~~\n"
        target = os.path.join(made, place_of(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        files.append(File(place_of(path), made, config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(text, page, config, files):
    place = page.file.src_uri
    name = place[len("source/"):] if place.startswith("source/") else "docs/" + place
    if not name.endswith(".md") or not os.path.isfile(os.path.join(root(config), name)):
        return text  # a file that is shown as it is
    for match in reversed(links(text)):
        there = posixpath.relpath(place_of(target_of(name, match[2])), posixpath.dirname(place) or ".")
        text = text[: match.start()] + f"[{match[1]}]({there}{match[3] or ''})" + text[match.end():]
    return text
