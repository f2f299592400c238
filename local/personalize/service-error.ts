/** The errors of the three APIs, by their names in the service models; `Throttling` is common to all AWS services. */
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

/** An answer of the service that is an error, with the status that its REST APIs give it (its JSON API says 400). */
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

/** The caller gave something that the service does not take. */
export function invalid(message: string): ServiceError {
  return new ServiceError("InvalidInputException", message);
}

/** What was asked for is busy, or is needed by something else. */
export function inUse(message: string): ServiceError {
  return new ServiceError("ResourceInUseException", message);
}
