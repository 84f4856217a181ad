"""Calls the local service with unmodified clients and prints what they understood, as one JSON object.

Arguments: the service's URL and its token.
"""

import json
import sys

from databricks.sdk import WorkspaceClient
from databricks.sdk.errors import NotFound
from databricks.sdk.service.serving import ChatMessage, ChatMessageRole, EndpointCoreConfigInput, ServedEntityInput
from openai import NotFoundError, OpenAI
from pydantic import BaseModel

url, token = sys.argv[1:3]
question = [{"role": "user", "content": "What is max_retries?"}]
seen = {}


class Field(BaseModel):
    field: str
    default: str


openai = OpenAI(base_url=url + "/serving-endpoints", api_key=token, max_retries=0)
answer = openai.chat.completions.create(model="guide", messages=question)
seen["chat"] = answer.choices[0].message.content
seen["usage"] = answer.usage.total_tokens
chunks = list(
    openai.chat.completions.create(
        model="guide", messages=question, stream=True, stream_options={"include_usage": True}
    )
)
seen["stream"] = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
seen["finish"] = [
    chunk.choices[0].finish_reason for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason
]
seen["parsed"] = (
    openai.chat.completions.parse(model="guide", messages=question, response_format=Field)
    .choices[0]
    .message.parsed.field
)
tool = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
called = (
    openai.chat.completions.create(
        model="guide", messages=[{"role": "user", "content": "Weather in Oslo?"}], tools=[tool], tool_choice="required"
    )
    .choices[0]
    .message.tool_calls[0]
)
seen["tool"] = json.loads(called.function.arguments)
seen["completion"] = (
    openai.completions.create(model="guide-completion", prompt=["cancel a run", "max_retries"], max_tokens=40)
    .choices[1]
    .text
)
vectors = openai.embeddings.create(model="guide-embedding", input=["a", "b"]).data
seen["vectors"] = [len(vectors), len(vectors[0].embedding)]
try:
    openai.chat.completions.create(model="nothing", messages=question)
except NotFoundError as error:
    seen["missing"] = str(error)

try:
    openai.responses.create(model="guide", input="hi")
except NotFoundError as error:
    seen["responses"] = str(error)
try:
    OpenAI(base_url=url + "/v1", api_key=token, max_retries=0).chat.completions.create(model="guide", messages=question)
except NotFoundError as error:
    seen["wrongBase"] = str(error)

workspace = WorkspaceClient(host=url, token=token)
endpoints = workspace.serving_endpoints
seen["listed"] = {endpoint.name: endpoint.task for endpoint in endpoints.list()}
queried = endpoints.query("guide", messages=[ChatMessage(role=ChatMessageRole.USER, content="What is max_retries?")])
seen["queried"] = queried.choices[0].message.content
seen["queriedCompletion"] = endpoints.query("guide-completion", prompt="max_retries").choices[0].text
seen["queriedVector"] = len(endpoints.query("guide-embedding", input=["x"]).data[0].embedding)
created = endpoints.create(
    "made",
    config=EndpointCoreConfigInput(name="made", served_entities=[ServedEntityInput(name="one", entity_name="guide")]),
)
seen["created"] = created.response.name
seen["ready"] = endpoints.get("made").state.ready.value
seen["choices"] = len(
    endpoints.query("made", messages=[ChatMessage(role=ChatMessageRole.USER, content="hi")], n=2).choices
)
endpoints.delete("made")
seen["left"] = [endpoint.name for endpoint in endpoints.list()]
try:
    endpoints.query("nothing", messages=[ChatMessage(role=ChatMessageRole.USER, content="hi")])
except NotFound as error:
    seen["sdkMissing"] = str(error)
seen["sdkJobs"] = [job.job_id for job in workspace.jobs.list()]
print(json.dumps(seen))
