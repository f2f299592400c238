/** A native call, such as `GET /shop/_search?routing=a`, with a body given as an object or as text. */
export function callOf(target: string, body: unknown = "") {
  const [method = "", rest = ""] = target.split(" ");
  const [path = "", query = ""] = rest.split("?");
  return {
    method,
    segments: path.slice(1).split("/"),
    parameters: [...new URLSearchParams(query)],
    contentType: "application/json",
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  };
}
