import { type FieldError, invalid, required } from './field-error.ts'
import { parseGoUrl } from './go-url.ts'
import { dns1123Subdomain } from './name-rules.ts'

/** How to reach a webhook: exactly one of url and service. Admission and conversion share it. */
export interface WebhookClientConfig {
  url?: string
  service?: WebhookServiceReference
  /** The CA bundle of the webhook: PEM in base64. Defaults to the system trust store. */
  caBundle?: string
}

export interface WebhookServiceReference {
  namespace?: string
  name?: string
  path?: string
  port?: number
}

/** `isAdmission`: upstream's validation of admission webhooks swaps the two names of a service, and clients see it. */
export function validateWebhookClientConfig(
  { url, service }: WebhookClientConfig,
  path: string,
  { isAdmission = false } = {},
): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')]
  }
  if (url !== undefined) return validateWebhookUrl(url, `${path}.url`)
  const { name = '', namespace = '' } = service ?? {}
  const named = isAdmission ? { name: namespace, namespace: name } : { name, namespace }
  return validateWebhookService({ ...service, ...named }, `${path}.service`)
}

const form = '; desired format: https://host[/path]'

function validateWebhookUrl(text: string, path: string): FieldError[] {
  const url = parseGoUrl(text)
  if ('problem' in url) return [required(path, `url must be a valid URL: ${url.problem}${form}`)]
  const errors: FieldError[] = []
  if (url.scheme !== 'https') {
    errors.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${form}`))
  }
  if (url.host === '') errors.push(invalid(path, '', `host must be specified${form}`))
  if (url.userInfo !== undefined) {
    errors.push(invalid(path, url.userInfo, 'user information is not permitted in the URL'))
  }
  if (url.fragment !== '') errors.push(invalid(path, url.fragment, 'fragments are not permitted in the URL'))
  if (url.rawQuery !== '') {
    errors.push(invalid(path, url.rawQuery, 'query parameters are not permitted in the URL'))
  }
  return errors
}

function validateWebhookService(service: WebhookServiceReference, path: string): FieldError[] {
  const { name, namespace, port = 443 } = service
  return [
    ...(name ? [] : [required(`${path}.name`)]),
    ...(namespace ? [] : [required(`${path}.namespace`)]),
    ...(port >= 1 && port <= 65535
      ? []
      : [invalid(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...validateServicePath(service.path ?? '', `${path}.path`),
  ]
}

function validateServicePath(text: string, path: string): FieldError[] {
  if (text === '' || text === '/') return []
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')]
  const steps = text.slice(1).replace(/\/$/, '').split('/')
  return [
    ...(text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")]),
    ...steps.flatMap((step, index) =>
      step === ''
        ? [invalid(path, text, `segment[${index}] may not be empty`)]
        : dns1123Subdomain(step).map((problem) => invalid(path, text, `segment[${index}]: ${problem}`)),
    ),
  ]
}
