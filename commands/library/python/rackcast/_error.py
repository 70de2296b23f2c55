"""The one exception of the package."""


class Error(Exception):
    """A question without an answer: a wrong scenario, an unknown name, a goal without a plan.

    str() is the whole message: place, what was expected, hint. The same in parts:
    problem, hint, file, line, column (from 1; 0: not known), pointer ("/cluster/nodes"), and code, the exit
    code that the program would end with (3: invalid input).
    """

    def __init__(self, message, problem="", hint="", file="", line=0, column=0, pointer="", code=1):
        super().__init__(message)
        self.problem = problem
        self.hint = hint
        self.file = file
        self.line = line
        self.column = column
        self.pointer = pointer
        self.code = code
