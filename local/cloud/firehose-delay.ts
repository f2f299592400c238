/**
 * Makes the local Firehose hold the records of a delivery stream back for so many seconds and then write them as one
 * object, as AWS does by size and time; 0 writes each call's at once, which is how a stream begins.
 */
export async function delayFirehose(endpoint: string, stream: string, seconds: number): Promise<void> {
  const body = JSON.stringify({ stream, seconds });
  const response = await fetch(`${endpoint}/_cloud/firehose-delay`, { method: "POST", body });
  if (!response.ok)
    throw new Error(`the local Firehose refused the delay: ${response.status} ${await response.text()}`);
}
