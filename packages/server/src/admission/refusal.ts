import { ApiError, isJsonObject, type JsonObject, type StatusDetails } from '@strata/api'

/** A webhook has refused a write, or admission has failed. A retry by the server would not help. */
export class AdmissionRefusal extends ApiError {
  /** The webhook denied the request; otherwise the call failed. */
  readonly isDenial: boolean = false
}

class Denial extends AdmissionRefusal {
  override readonly isDenial = true
}

/** Upstream's answer to an internal failure. */
export function admissionFailure(message: string): AdmissionRefusal {
  return new AdmissionRefusal(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  })
}

const lastCode = 999

/** The error for a client whose request a webhook denied: with the webhook's message and code. */
export function denial(hookName: string, result: JsonObject = {}): AdmissionRefusal {
  const text = (field: string): string => (typeof result[field] === 'string' ? result[field] : '')
  const deniedBy = `admission webhook ${JSON.stringify(hookName)} denied the request`
  const why = text('message') || text('reason')
  const message = why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`
  return new Denial(codeOf(result['code']), text('reason'), message, detailsOf(result['details']))
}

/** A denial never has a success code. */
function codeOf(code: unknown): number {
  if (typeof code !== 'number' || !Number.isInteger(code) || code < 400) return 400
  return code > lastCode ? 500 : code
}

function detailsOf(details: unknown): StatusDetails | undefined {
  if (!isJsonObject(details)) return undefined
  const { causes, retryAfterSeconds } = details
  const text = (field: 'name' | 'group' | 'kind' | 'uid') =>
    typeof details[field] === 'string' && details[field] !== '' ? { [field]: details[field] } : {}
  return {
    ...text('name'),
    ...text('group'),
    ...text('kind'),
    ...text('uid'),
    ...(Array.isArray(causes) ? { causes: causes.filter(isJsonObject) } : {}),
    ...(typeof retryAfterSeconds === 'number' && Number.isInteger(retryAfterSeconds) && retryAfterSeconds > 0
      ? { retryAfterSeconds }
      : {}),
  }
}
