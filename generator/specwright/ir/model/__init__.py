"""The concepts of an HTTP API as frozen dataclasses: the only input of templates.

Classes with a counterpart in generated code are definitions: a `ParameterDefinition` is written as
a `Parameter` of the runtime.
"""
