#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails where a schema for editors says otherwise than the reader about a file of the corpus.

usage: schema_test.py ROOT

corpus_test.cpp holds the reader to the same corpus. Files that it calls "reader" are wrong in ways that no
schema can say: the schema must accept them, so that the list of such ways stays true.
"""
import json
import pathlib
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing} (apt-get install python3-jsonschema python3-yaml)")
    sys.exit(77)


class Loader(yaml.SafeLoader):
    """Takes plain words for what YAML 1.2 says, as editors do: `yes` is a text and 010 is ten."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern in [
    ("null", r"~|null|Null|NULL|"),
    ("bool", r"true|True|TRUE|false|False|FALSE"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
    ("merge", r"<<"),
]:
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), None)
Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: whole_number(node.value))
Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(re.sub(r"\.(?=inf|nan)", "", node.value.lower())))


def whole_number(text):
    return int(text[2:], {"0o": 8, "0x": 16}[text[:2]]) if text[:2] in ("0o", "0x") else int(text, 10)


def samples(path):
    """Verdict, name and text of each file in one of the corpus."""
    text = path.read_text(encoding="utf-8")
    for part in re.split(r"^##### ", text, flags=re.M)[1:]:
        heading, body = part.split("\n", 1)
        verdict, name = heading.split(":", 1)[0].split(" ")
        yield verdict, name, body


def complaint(validator, text):
    """What an editor would show first, or None."""
    try:
        value = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        return str(error).replace("\n", " ")
    if isinstance(value, float) and value != value:
        return "NaN"
    error = next(iter(validator.iter_errors(value)), None)
    return error and error.message


def finite(number):
    return isinstance(number, (int, float)) and not isinstance(number, bool) and number - number == 0


def make_validator(schema):
    """JSON has neither NaN nor infinity, so they are no numbers of the schema."""
    base = jsonschema.Draft7Validator
    checker = base.TYPE_CHECKER.redefine("number", lambda _, value: finite(value))
    return jsonschema.validators.extend(base, type_checker=checker)(schema)


def faults(root, corpus, schema_name):
    schema = json.loads((root / "rubrics" / schema_name).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = make_validator(schema)
    for verdict, name, text in samples(root / "grader/rubric/testdata" / corpus):
        said = complaint(validator, text)
        if (said is not None) != (verdict == "bad"):
            yield f"{corpus}: {name} is called {verdict}, and the schema {'refuses' if said else 'accepts'} it: {said}"


def shipped_faults(root):
    """Every rubric names its schema, and is accepted by it."""
    for path in sorted((root / "rubrics").glob("*.yaml")):
        kind = "course" if path.stem == "course" else "rubric"
        schema_name = f"{kind}.schema.json"
        text = path.read_text(encoding="utf-8")
        if text.split("\n", 1)[0] != f"# yaml-language-server: $schema={schema_name}":
            yield f"{path.name}: the first line must be '# yaml-language-server: $schema={schema_name}'"
        schema = json.loads((root / "rubrics" / schema_name).read_text(encoding="utf-8"))
        said = complaint(make_validator(schema), text)
        if said:
            yield f"{path.name}: the schema refuses it: {said}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*faults(root, "rubrics.txt", "rubric.schema.json"), *faults(root, "courses.txt", "course.schema.json"), *shipped_faults(root)]
    print("\n".join(found) or "schemas and reader agree on every file of the corpus")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
