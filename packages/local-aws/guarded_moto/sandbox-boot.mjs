// The runtime inside a function's child process. It loads the handler, then handles one event after another. Events
// arrive as lines on standard input. Responses are lines on standard output that begin with a marker, which only the
// parent knows. All other lines there and on standard error are the function's log. Both streams share one pipe, which
// keeps them in order.
import { existsSync } from "node:fs";
import { Module } from "node:module";
import { pathToFileURL } from "node:url";

const [taskRoot, handlerName, marker] = process.argv.slice(2);

// Archives contain native code for Lambda's processor only. This machine's own is among the installed packages.
const resolve = Module._resolveFilename;
const here = Object.assign(new Module(import.meta.filename), { paths: Module._nodeModulePaths(import.meta.dirname) });
Module._resolveFilename = (request, parent, ...rest) =>
  resolve(request, request.startsWith("@duckdb/node-bindings-") ? here : parent, ...rest);

const logFormat = process.env.AWS_LAMBDA_LOG_FORMAT;
let current;

const answer = (message) => process.stdout.write(`\n${marker}${JSON.stringify(message)}\n`);

function errorOf(error, type) {
  const isError = error instanceof Error;
  return {
    errorType: type ?? (isError ? error.name : typeof error),
    errorMessage: isError ? error.message : String(error),
    trace: isError ? String(error.stack).split("\n") : [],
  };
}

// Adds time, request ID and level to `console` output, as Lambda does. Direct writes to standard output are unchanged.
async function stampConsole() {
  const { format } = await import("node:util");
  const levels = { debug: "DEBUG", trace: "TRACE", log: "INFO", info: "INFO", warn: "WARN", error: "ERROR" };
  for (const [method, level] of Object.entries(levels)) {
    console[method] = (...values) => {
      const [time, requestId] = [new Date().toISOString(), current?.id];
      if (logFormat === "JSON") {
        const message = values.length === 1 && typeof values[0] === "object" ? values[0] : format(...values);
        process.stdout.write(`${JSON.stringify({ timestamp: time, level, requestId, message })}\n`);
        return;
      }
      const text = [time, requestId ?? "undefined", level, format(...values)].join("\t");
      process.stdout.write(`${text.replaceAll("\n", "\r")}\n`);
    };
  }
}

async function loadHandler() {
  const dot = handlerName.lastIndexOf(".");
  const [module, name] = [handlerName.slice(0, dot), handlerName.slice(dot + 1)];
  const file = [".js", ".mjs", ".cjs"].map((extension) => `${taskRoot}/${module}${extension}`).find(existsSync);
  if (file === undefined) {
    const error = new Error(`Error: Cannot find module '${module}'`);
    throw Object.assign(error, { name: "Runtime.ImportModuleError" });
  }
  const loaded = await import(pathToFileURL(file).href);
  const handler = loaded[name] ?? loaded.default?.[name];
  if (typeof handler !== "function") {
    const error = new Error(`${handlerName} is undefined or not exported`);
    throw Object.assign(error, { name: "Runtime.HandlerNotFound" });
  }
  return handler;
}

function contextOf({ id, arn, deadline }) {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    invokedFunctionArn: arn,
    awsRequestId: id,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

function call(handler, event, context) {
  return new Promise((resolve, reject) => {
    const callback = (error, result) => (error == null ? resolve(result) : reject(error));
    const returned = handler(event, context, callback);
    if (typeof returned?.then === "function") returned.then(resolve, reject);
    else if (handler.length < 3) resolve(returned);
  });
}

async function serve(handler, line) {
  const request = JSON.parse(line);
  current = request;
  try {
    const result = await call(handler, request.event, contextOf(request));
    answer({ id: request.id, result: JSON.stringify(result) ?? "null" });
  } catch (error) {
    answer({ id: request.id, error: errorOf(error) });
  }
  current = undefined;
}

function die(error, type, code) {
  answer({ id: current?.id, error: errorOf(error, type) });
  process.exit(code);
}

process.on("unhandledRejection", (reason) => die(reason, "Runtime.UnhandledPromiseRejection", 128));
process.on("uncaughtException", (error) => die(error, undefined, 129));
// Standard input closes when the server ends, even after a crash, so no child process is left behind.
process.stdin.on("end", () => process.exit(0));

let handler;
try {
  await stampConsole();
  handler = await loadHandler();
} catch (error) {
  answer({ ready: false, error: errorOf(error) });
  process.exit(1);
}
answer({ ready: true });

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) void serve(handler, line);
});
