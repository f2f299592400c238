/**
 * Makes the local Firehose buffer the records of a delivery stream for this many seconds and then write them as one
 * object. AWS buffers by size and time. 0, the initial value, writes the records of each call immediately.
 */
export async function delayFirehose(endpoint: string, stream: string, seconds: number): Promise<void> {
  const body = JSON.stringify({ stream, seconds });
  const response = await fetch(`${endpoint}/_cloud/firehose-delay`, { method: "POST", body });
  if (!response.ok)
    throw new Error(`the local Firehose refused the delay: ${response.status} ${await response.text()}`);
}
