"""Writes the graph of a PyTorch model (2.2 and later) as JSON for `rackcast import torch-fx`.

    program = torch.export.export(model.eval(), (torch.randn(1, 3, 224, 224),))
    write_graph(program, "model.json")
"""
import json
import math

import torch


def sides(value):
    tensors = value if isinstance(value, (list, tuple)) else [value]
    return [{"shape": [side if isinstance(side, int) else str(side) for side in tensor.shape],
             "dtype": str(tensor.dtype).removeprefix("torch.")} if isinstance(tensor, torch.Tensor) else None
            for tensor in tensors]


def plain(value):
    if isinstance(value, torch.fx.Node):
        return {"node": value.name}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if value is None or isinstance(value, (bool, int)) else str(value)


def write_graph(program, path):
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    held, nodes = {}, []
    for node in program.graph.nodes:
        one = {"op": node.op, "name": node.name, "outputs": sides(node.meta.get("val"))}
        if node.op == "placeholder":
            one["kind"] = specs[node.name].kind.name
            tensor = {**program.state_dict, **program.constants}.get(specs[node.name].target)
            if isinstance(tensor, torch.Tensor):  # weights that several names share count once
                one["same"] = held.setdefault((tensor.data_ptr(), tensor.shape), node.name)
        elif node.op == "call_function":
            one.update(target=str(node.target), args=plain(node.args),
                       kwargs={key: plain(value) for key, value in node.kwargs.items()})
            stack = node.meta.get("nn_module_stack")
            one["module"] = list(stack.values())[-1][0] if stack else ""
        nodes.append(one)
    with open(path, "w") as file:
        json.dump({"format": "rackcast-torch-fx", "version": 1, "torch": torch.__version__, "nodes": nodes}, file)
