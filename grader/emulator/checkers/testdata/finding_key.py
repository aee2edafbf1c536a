# SPDX-License-Identifier: MIT
"""Findings as tests know them: by id and arguments."""


def key_of(record):
    """"id(name=value, ...)" of a record's finding, the names in order, as Sentence::key() writes it."""
    arguments = ', '.join(f'{name}={value}' for name, value in sorted(record['arguments'].items()))
    return f"{record['id']}({arguments})" if arguments else record['id']
