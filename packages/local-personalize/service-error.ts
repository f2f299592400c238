/** The errors of the three APIs, named as in the service models. ThrottlingException is common to all services. */
export type ErrorCode =
  | "InvalidInputException"
  | "ResourceNotFoundException"
  | "ResourceAlreadyExistsException"
  | "ResourceInUseException"
  | "LimitExceededException"
  | "TooManyTagsException"
  | "TooManyTagKeysException"
  | "InvalidNextTokenException"
  | "ThrottlingException"
  | "UnknownOperationException"
  | "InternalServerException";

const STATUS: Partial<Record<ErrorCode, number>> = {
  ResourceNotFoundException: 404,
  ResourceInUseException: 409,
  ThrottlingException: 429,
  InternalServerException: 500,
};

/** An error response of the service, with its status in the REST APIs. The JSON API turns 4xx into 400. */
export class ServiceError extends Error {
  override name = "ServiceError";
  readonly code: ErrorCode;
  readonly status: number;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
    this.status = STATUS[code] ?? 400;
  }
}

/** Creates an InvalidInputException: the service does not accept the caller's input. */
export function invalid(message: string): ServiceError {
  return new ServiceError("InvalidInputException", message);
}

/** Creates a ResourceInUseException: the resource is busy, or something else needs it. */
export function inUse(message: string): ServiceError {
  return new ServiceError("ResourceInUseException", message);
}
