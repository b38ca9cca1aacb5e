import { ApiError, isJsonObject, type JsonObject, type StatusDetails } from '@strata/api'

/** Somebody was asked about a write and has refused it, or did not answer. Asked again, he would say the same. */
export class AdmissionRefusal extends ApiError {
  /** A webhook has said no; otherwise something went wrong. */
  readonly isDenial: boolean = false
}

class Denial extends AdmissionRefusal {
  override readonly isDenial = true
}

/** As upstream answers when something goes wrong on its own side. */
export function admissionFailure(message: string): AdmissionRefusal {
  return new AdmissionRefusal(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  })
}

const lastCode = 999

/** What a client is told whose request a webhook has denied: in the webhook's words, and with its code. */
export function denial(hookName: string, result: JsonObject = {}): AdmissionRefusal {
  const text = (field: string): string => (typeof result[field] === 'string' ? result[field] : '')
  const deniedBy = `admission webhook ${JSON.stringify(hookName)} denied the request`
  const why = text('message') || text('reason')
  const message = why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`
  return new Denial(codeOf(result['code']), text('reason'), message, detailsOf(result['details']))
}

/** A refusal is no success, whatever its code. */
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
