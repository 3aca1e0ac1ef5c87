"""What the three APIs refuse: checks of a request's body. Each check gives a list of faults (texts); none: the API would take it.

The rules are those that the services document or are known to enforce. Memory is what the server issued: signatures of thinking,
calls. The Messages API joins neighbouring messages of one role; servers that imitate it refuse them, so that is a fault unless
memory.alternate is off.
"""
import base64
import json
import re

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
LONG_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
IDENTITY = re.compile(r"[a-zA-Z0-9_-]+\Z")
KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}\Z")
IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}


class Faults(list):
    def add(self, place, what):
        self.append(f"{place}: {what}")

    def shape(self, value, place, required, optional=()):
        """value is an object with all required members and no unknown one. Members: {name: type or types}."""
        if not isinstance(value, dict):
            self.add(place, "Input should be an object")
            return False
        optional = dict(optional)
        for name in required:
            if name not in value:
                self.add(f"{place}.{name}", "Field required")
        for name, member in value.items():
            types = required.get(name) or optional.get(name)
            if types is None:
                self.add(f"{place}.{name}", "Extra inputs are not permitted")
            elif not isinstance(member, types) or (isinstance(member, bool) and types in (int, (int, float))):
                self.add(f"{place}.{name}", f"wrong type {type(member).__name__}")
        return all(name in value for name in required) and not any(
            name in value and not isinstance(value[name], types) for name, types in required.items())


NULL = type(None)


def check_base64(faults, place, data):
    try:
        base64.b64decode(data, validate=True)
    except ValueError:
        faults.add(place, "not base64")


def check_surrogates(faults, value):
    """Half characters are refused as invalid JSON."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        faults.add("body", "invalid unicode: lone surrogate")


# ---- Messages -------------------------------------------------------------------------------------------------

CACHE = {"cache_control": dict}


def check_source(faults, place, source, documents):
    kind = source.get("type") if isinstance(source, dict) else None
    if kind == "base64":
        types = {"application/pdf"} if documents else IMAGES
        if faults.shape(source, place, {"type": str, "media_type": str, "data": str}):
            check_base64(faults, place, source["data"])
            if source["media_type"] not in types:
                faults.add(place, f"media type {source['media_type']}")
    elif kind == "url":
        faults.shape(source, place, {"type": str, "url": str})
    elif kind == "file":
        faults.shape(source, place, {"type": str, "file_id": str})
    elif documents and kind == "text":
        faults.shape(source, place, {"type": str, "media_type": str, "data": str})
    else:
        faults.add(place, f"unknown source {kind}")


def check_text_block(faults, place, block):
    if faults.shape(block, place, {"type": str, "text": str}, {**CACHE, "citations": (list, NULL)}) and not block["text"].strip():
        faults.add(place, "text content blocks must contain non-whitespace text")


def check_result(faults, place, block):
    faults.shape(block, place, {"type": str, "tool_use_id": str}, {**CACHE, "content": (str, list), "is_error": bool})
    content = block.get("content")
    for index, part in enumerate(content if isinstance(content, list) else []):
        at = f"{place}.content.{index}"
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            check_text_block(faults, at, part)
        elif kind in ("image", "document"):
            faults.shape(part, at, {"type": str, "source": dict}, {**CACHE, "title": str, "context": str, "citations": dict})
            check_source(faults, at + ".source", part.get("source"), kind == "document")
        elif kind == "search_result":
            faults.shape(part, at, {"type": str, "source": str, "title": str, "content": list}, {**CACHE, "citations": dict})
        elif kind != "tool_reference":
            faults.add(at, f"unknown block {kind}")
    if block.get("is_error") and not content:
        faults.add(place, "content cannot be empty if is_error is true")


def check_block(faults, place, role, block, memory):
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text":
        check_text_block(faults, place, block)
    elif kind in ("image", "document") and role == "user":
        faults.shape(block, place, {"type": str, "source": dict}, {**CACHE, "title": str, "context": str, "citations": dict})
        check_source(faults, place + ".source", block.get("source"), kind == "document")
    elif kind == "tool_result" and role == "user":
        check_result(faults, place, block)
    elif kind == "tool_use" and role == "assistant":
        if faults.shape(block, place, {"type": str, "id": str, "name": str, "input": dict}, {**CACHE, "caller": dict}):
            if not IDENTITY.match(block["id"]):
                faults.add(place + ".id", "String should match pattern '^[a-zA-Z0-9_-]+$'")
            if not LONG_NAME.match(block["name"]):
                faults.add(place + ".name", "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
    elif kind == "thinking" and role == "assistant":
        if faults.shape(block, place, {"type": str, "thinking": str, "signature": str}):
            if memory.thinking.get(block["signature"]) != block["thinking"]:
                faults.add(place, "Invalid `signature` in `thinking` block")
    elif kind == "redacted_thinking" and role == "assistant":
        if faults.shape(block, place, {"type": str, "data": str}) and block["data"] not in memory.redacted:
            faults.add(place, "Invalid `data` in `redacted_thinking` block")
    elif not (role == "assistant" and kind and (kind == "server_tool_use" or kind.endswith("_tool_result"))):
        faults.add(place, f"{role} message cannot hold a block {kind}")


def types(message):
    return [block.get("type") for block in message["content"] if isinstance(block, dict)]


def blocks_of(message, kind):
    return [block for block in message["content"] if isinstance(block, dict) and block.get("type") == kind]


def check_pairs(faults, messages):
    """Each call is answered once, in the very next message, before anything else; nothing else is answered."""
    seen = set()
    for index, message in enumerate(messages):
        wanted = [block.get("id") for block in blocks_of(message, "tool_use")]
        following = messages[index + 1] if index + 1 < len(messages) else {"content": []}
        given = [block.get("tool_use_id") for block in blocks_of(following, "tool_result")]
        for identity in wanted:
            if identity in seen:
                faults.add(f"messages.{index}", f"`tool_use` ids must be unique: {identity}")
            seen.add(identity)
            if given.count(identity) == 0:
                faults.add(f"messages.{index}", f"`tool_use` ids were found without `tool_result` blocks immediately after: {identity}")
            elif given.count(identity) > 1:
                faults.add(f"messages.{index + 1}", f"each tool_use must have a single result: {identity}")
        previous = [block.get("id") for block in blocks_of(messages[index - 1], "tool_use")] if index else []
        for block in blocks_of(message, "tool_result"):
            if block.get("tool_use_id") not in previous:
                faults.add(f"messages.{index}", f"unexpected `tool_use_id` found in `tool_result` blocks: {block.get('tool_use_id')}")
        order = types(message)
        if "tool_result" in order and "tool_result" in order[len([kind for kind in order if kind == "tool_result"]):]:
            faults.add(f"messages.{index}", "tool_result blocks must come first")


def check_messages(faults, body, memory):
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        faults.add("messages", "at least one message is required")
        return
    whole = []
    for index, message in enumerate(messages):
        place = f"messages.{index}"
        if not faults.shape(message, place, {"role": str, "content": (str, list)}):
            return
        if message["role"] not in ("user", "assistant") or (index == 0 and message["role"] != "user"):
            faults.add(place, f"unexpected role {message['role']}")
        joined = bool(whole) and whole[-1]["role"] == message["role"]
        if joined and memory.alternate:
            faults.add(place, "roles must alternate between \"user\" and \"assistant\"")
        if not message["content"]:
            faults.add(place, "all messages must have non-empty content")
        content = message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for number, block in enumerate(content):
            check_block(faults, f"{place}.content.{number}", message["role"], block, memory)
        if joined:
            whole[-1]["content"] += content
        else:
            whole.append({"role": message["role"], "content": list(content)})
    check_pairs(faults, whole)
    last = whole[-1]
    if last["role"] == "assistant" and types(last)[-1:] == ["text"] and last["content"][-1]["text"].endswith((" ", "\n", "\t")):
        faults.add("messages", "final assistant content cannot end with trailing whitespace")
    if last["role"] == "assistant" and types(last)[-1:] == ["thinking"]:
        faults.add("messages", "the final block in an assistant message cannot be `thinking`")
    if (body.get("thinking") or {}).get("type") == "enabled" and "tool_result" in types(last) and len(whole) > 1:
        if types(whole[-2])[:1] not in (["thinking"], ["redacted_thinking"]) and memory.thought_in(blocks_of(whole[-2], "tool_use")):
            faults.add(f"messages.{len(whole) - 2}", "Expected `thinking` or `redacted_thinking`, but found another block")


def check_schema_keys(faults, place, schema):
    if not isinstance(schema, dict):
        return
    for name, inner in (schema.get("properties") or {}).items():
        if not KEY.match(name):
            faults.add(place, f"Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$': {name}")
        check_schema_keys(faults, place, inner)
    check_schema_keys(faults, place, schema.get("items"))


def check_tools(faults, tools):
    names = [tool.get("name") for tool in tools if isinstance(tool, dict)]
    if len(set(names)) != len(names):
        faults.add("tools", "Tool names must be unique.")
    for index, tool in enumerate(tools):
        place = f"tools.{index}"
        if isinstance(tool, dict) and tool.get("type", "custom") != "custom":
            continue
        if not faults.shape(tool, place, {"name": str, "input_schema": dict},
                            {**CACHE, "type": str, "description": str, "eager_input_streaming": bool, "defer_loading": bool, "strict": bool,
                             "input_examples": list}):
            continue
        schema = tool["input_schema"]
        if not LONG_NAME.match(tool["name"]):
            faults.add(place + ".name", "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
        if schema.get("type") != "object":
            faults.add(place + ".input_schema.type", "Input should be 'object'")
        if any(word in schema for word in ("oneOf", "anyOf", "allOf")):
            faults.add(place + ".input_schema", "input_schema does not support oneOf, allOf, or anyOf at the top level")
        check_schema_keys(faults, place + ".input_schema", schema)


def count_breakpoints(value):
    if isinstance(value, dict):
        inner = [member for name, member in value.items() if name not in ("cache_control", "input", "input_schema")]
        return ("cache_control" in value) + sum(map(count_breakpoints, inner))
    return sum(count_breakpoints(inner) for inner in value) if isinstance(value, list) else 0


def check_anthropic(body, memory):
    faults = Faults()
    check_surrogates(faults, body)
    if not faults.shape(body, "body", {"model": str, "max_tokens": int, "messages": list},
                        {"system": (str, list), "tools": list, "tool_choice": dict, "stream": bool, "thinking": dict, "output_config": dict,
                         "metadata": dict, "stop_sequences": list, "temperature": (int, float), "top_p": (int, float), "top_k": int,
                         "service_tier": str, "cache_control": dict, "container": (str, dict), "context_management": dict, "mcp_servers": list}):
        return faults
    if body["max_tokens"] < 1:
        faults.add("max_tokens", "Input should be greater than or equal to 1")
    thinking = body.get("thinking") or {}
    if thinking.get("type") == "enabled" and not 1024 <= thinking.get("budget_tokens", 0) < body["max_tokens"]:
        faults.add("thinking.budget_tokens", "must be at least 1024 and less than max_tokens")
    for index, block in enumerate(body["system"] if isinstance(body.get("system"), list) else []):
        check_text_block(faults, f"system.{index}", block)
    if isinstance(body.get("system"), str) and not body["system"].strip():
        faults.add("system", "empty")
    check_tools(faults, body.get("tools") or [])
    if count_breakpoints(body) > 4:
        faults.add("cache_control", "A maximum of 4 blocks with cache_control may be provided")
    check_messages(faults, body, memory)
    return faults


# ---- Chat Completions -----------------------------------------------------------------------------------------

CHAT_PARTS = {"text": {"type": str, "text": str}, "image_url": {"type": str, "image_url": dict}, "file": {"type": str, "file": dict},
              "input_audio": {"type": str, "input_audio": dict}, "refusal": {"type": str, "refusal": str}}
CHAT_ROLES = {
    "system": {"role": str, "content": (str, list)}, "developer": {"role": str, "content": (str, list)}, "user": {"role": str, "content": (str, list)},
    "assistant": {"role": str}, "tool": {"role": str, "content": (str, list), "tool_call_id": str},
}


def check_chat_calls(faults, place, calls):
    if not calls:
        faults.add(place, "[] is too short - 'messages.tool_calls'")
    for number, one in enumerate(calls):
        at = f"{place}.tool_calls.{number}"
        if not faults.shape(one, at, {"id": str, "type": str, "function": dict}, {"extra_content": dict, "index": int}):
            continue
        if not one["id"]:
            faults.add(at + ".id", "empty")
        if faults.shape(one["function"], at + ".function", {"name": str, "arguments": str}):
            if not NAME.match(one["function"]["name"]):
                faults.add(at + ".function.name", "does not match '^[a-zA-Z0-9_-]{1,64}$'")
            try:
                json.loads(one["function"]["arguments"])
            except ValueError:
                faults.add(at + ".function.arguments", "not valid JSON")


def check_chat_message(faults, place, message):
    role = message.get("role") if isinstance(message, dict) else None
    if role not in CHAT_ROLES:
        faults.add(place, f"unknown role {role}")
        return
    optional = {"name": str}
    if role == "assistant":
        optional.update(content=(str, list, NULL), tool_calls=list, refusal=(str, NULL), reasoning_content=str, reasoning=str, reasoning_details=list)
    faults.shape(message, place, CHAT_ROLES[role], optional)
    content = message.get("content")
    if role == "assistant" and "tool_calls" in message:
        check_chat_calls(faults, place, message["tool_calls"])
    elif role == "assistant" and content is None:
        faults.add(place, "expected a string, got null")
    if role == "user" and not content:
        faults.add(place, "empty content")
    for number, part in enumerate(content if isinstance(content, list) else []):
        kind = part.get("type") if isinstance(part, dict) else None
        allowed = ("text",) if role in ("system", "developer", "tool") else ("text", "refusal") if role == "assistant" else ("text", "image_url", "file")
        if kind not in allowed:
            faults.add(f"{place}.content.{number}", f"invalid content type {kind} for role {role}")
        else:
            faults.shape(part, f"{place}.content.{number}", CHAT_PARTS[kind])


def check_chat_pairs(faults, messages):
    index = 0
    while index < len(messages):
        message = messages[index]
        index += 1
        if message.get("role") == "tool":
            faults.add(f"messages.{index - 1}", "messages with role 'tool' must be a response to a preceding message with 'tool_calls'")
            continue
        wanted = [one.get("id") for one in message.get("tool_calls") or []]
        if len(set(wanted)) != len(wanted):
            faults.add(f"messages.{index - 1}", "duplicate tool call ids")
        given = []
        while wanted and index < len(messages) and messages[index].get("role") == "tool":
            given.append(messages[index].get("tool_call_id"))
            index += 1
        missing = [identity for identity in wanted if identity not in given]
        if missing:
            faults.add("messages", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
                                   "The following tool_call_ids did not have response messages: " + ", ".join(missing))
        for identity in given:
            if identity not in wanted or given.count(identity) > 1:
                faults.add("messages", f"tool message answers no call, or twice: {identity}")


def check_functions(faults, tools, flat):
    if len(tools) > 128:
        faults.add("tools", "array too long. Expected an array with maximum length 128")
    names = []
    for index, tool in enumerate(tools):
        place = f"tools.{index}"
        function = tool
        if not flat:
            if not faults.shape(tool, place, {"type": str, "function": dict}):
                continue
            function = tool["function"]
        members = {"description": str, "parameters": dict, "strict": (bool, NULL)}
        if faults.shape(function, place, {"name": str, **({"type": str} if flat else {})}, members):
            names.append(function["name"])
            if not NAME.match(function["name"]):
                faults.add(place, "name does not match '^[a-zA-Z0-9_-]{1,64}$'")
            if (function.get("parameters") or {"type": "object"}).get("type") != "object":
                faults.add(place, "schema must be of type object")
    if len(set(names)) != len(names):
        faults.add("tools", "names must be unique")


def check_chat(body, memory):
    del memory
    faults = Faults()
    check_surrogates(faults, body)
    if not faults.shape(body, "body", {"model": str, "messages": list},
                        {"tools": list, "tool_choice": (str, dict), "stream": bool, "stream_options": dict, "max_tokens": int,
                         "max_completion_tokens": int, "temperature": (int, float), "top_p": (int, float), "stop": (str, list), "n": int,
                         "parallel_tool_calls": bool, "reasoning_effort": str, "response_format": dict, "seed": int, "user": str, "metadata": dict,
                         "store": bool, "service_tier": str, "verbosity": str, "prompt_cache_key": str, "safety_identifier": str}):
        return faults
    if not body["messages"]:
        faults.add("messages", "empty")
    if "stream_options" in body and not body.get("stream"):
        faults.add("stream_options", "only allowed when 'stream' is enabled")
    if body.get("tools") == []:
        faults.add("tools", "[] is too short - 'tools'")
    for index, message in enumerate(body["messages"]):
        check_chat_message(faults, f"messages.{index}", message)
    check_chat_pairs(faults, [message for message in body["messages"] if isinstance(message, dict)])
    check_functions(faults, body.get("tools") or [], flat=False)
    return faults


# ---- Responses ------------------------------------------------------------------------------------------------

ITEMS = {
    "message": ({"role": str, "content": (str, list)}, {"type": str, "id": str, "status": str, "phase": (str, NULL)}),
    "function_call": ({"type": str, "call_id": str, "name": str, "arguments": str}, {"id": str, "status": str}),
    "function_call_output": ({"type": str, "call_id": str, "output": (str, list)}, {"id": str, "status": str}),
    "reasoning": ({"type": str, "summary": list}, {"id": str, "encrypted_content": (str, NULL), "content": (list, NULL), "status": (str, NULL)}),
}


def check_response_content(faults, place, role, content):
    for number, part in enumerate(content if isinstance(content, list) else []):
        kind = part.get("type") if isinstance(part, dict) else None
        allowed = ("output_text", "refusal") if role == "assistant" else ("input_text", "input_image", "input_file")
        if kind not in allowed:
            faults.add(f"{place}.content.{number}", f"Invalid value: '{kind}' for role {role}")
        elif kind == "input_image":
            faults.shape(part, f"{place}.content.{number}", {"type": str}, {"image_url": str, "file_id": str, "detail": str})
        elif kind == "input_file":
            faults.shape(part, f"{place}.content.{number}", {"type": str}, {"file_data": str, "file_url": str, "filename": str, "file_id": str})
        elif kind == "refusal":
            faults.shape(part, f"{place}.content.{number}", {"type": str, "refusal": str})
        else:
            faults.shape(part, f"{place}.content.{number}", {"type": str, "text": str}, {"annotations": list, "logprobs": list})


def check_reasoning(faults, index, items, memory):
    item = items[index]
    secret = item.get("encrypted_content")
    if not secret:
        faults.add(f"input.{index}", f"Item with id '{item.get('id')}' not found. Items are not persisted when `store` is set to false.")
    elif secret not in memory.thinking:
        faults.add(f"input.{index}", "The encrypted content could not be verified.")
    following = items[index + 1] if index + 1 < len(items) else {}
    if following.get("type", "message") not in ("function_call", "reasoning", "message") or \
            (following.get("type", "message") == "message" and following.get("role") != "assistant"):
        faults.add(f"input.{index}", f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item.")


def check_items(faults, items, memory):
    called, answered, identities = [], [], []
    for index, item in enumerate(items):
        place = f"input.{index}"
        kind = item.get("type", "message") if isinstance(item, dict) else None
        if kind not in ITEMS:
            if not (kind and kind.endswith("_call")):
                faults.add(place, f"unknown item {kind}")
            continue
        faults.shape(item, place, *ITEMS[kind])
        if item.get("id"):
            identities.append(item["id"])
        if kind == "message":
            if item.get("role") not in ("user", "assistant", "system", "developer"):
                faults.add(place, f"unknown role {item.get('role')}")
            check_response_content(faults, place, item.get("role"), item.get("content"))
        elif kind == "function_call":
            called.append(item.get("call_id"))
            if not NAME.match(item.get("name", "")):
                faults.add(place, "name does not match '^[a-zA-Z0-9_-]{1,64}$'")
            if not 0 < len(item.get("call_id", "")) <= 65536:  # the service itself takes 64; others get back what they gave
                faults.add(place, "call_id must be there, and not endless")
        elif kind == "function_call_output":
            answered.append(item.get("call_id"))
            if item.get("call_id") not in called:
                faults.add(place, f"No tool call found for function call output with call_id {item.get('call_id')}.")
        else:
            check_reasoning(faults, index, items, memory)
    for identity in called:
        if answered.count(identity) != 1 or called.count(identity) != 1:
            faults.add("input", f"No tool output found for function call {identity}, or more than one.")
    if len(set(identities)) != len(identities):
        faults.add("input", "Duplicate item found with the same id.")


def check_responses(body, memory):
    faults = Faults()
    check_surrogates(faults, body)
    if not faults.shape(body, "body", {"model": str, "input": (str, list)},
                        {"instructions": str, "tools": list, "tool_choice": (str, dict), "stream": bool, "store": bool, "include": list,
                         "max_output_tokens": int, "reasoning": dict, "temperature": (int, float), "top_p": (int, float), "metadata": dict,
                         "parallel_tool_calls": bool, "previous_response_id": (str, NULL), "text": dict, "truncation": str, "user": str,
                         "service_tier": str, "prompt_cache_key": str, "safety_identifier": str}):
        return faults
    if not body["input"]:
        faults.add("input", "empty")
    if "max_output_tokens" in body and body["max_output_tokens"] < 16:
        faults.add("max_output_tokens", "integer below minimum value. Expected a value >= 16")
    if isinstance(body["input"], list):
        check_items(faults, body["input"], memory)
    check_functions(faults, [tool for tool in body.get("tools") or [] if tool.get("type") == "function"], flat=True)
    return faults


CHECKS = {"anthropic": check_anthropic, "openai-chat": check_chat, "openai-responses": check_responses}
