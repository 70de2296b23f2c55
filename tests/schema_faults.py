"""Prints how DOCUMENT breaks the draft-07 SCHEMA, one fault a line; nothing when it is valid."""
import json
import sys

from jsonschema import Draft7Validator

with open(sys.argv[1]) as schema_file, open(sys.argv[2]) as document_file:
    schema, document = json.load(schema_file), json.load(document_file)
Draft7Validator.check_schema(schema)
for fault in Draft7Validator(schema).iter_errors(document):
    print("/" + "/".join(map(str, fault.absolute_path)), fault.message)
