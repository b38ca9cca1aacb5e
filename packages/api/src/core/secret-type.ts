import { type FieldError, invalid, required } from '../machinery/field-error.ts'
import { describeMalformedJson } from '../machinery/json-problem.ts'
import type { ApiObject } from '../meta/object.ts'

interface TypedSecret extends ApiObject {
  readonly type?: string
  readonly data?: Readonly<Record<string, string>>
}

const serviceAccountName = 'kubernetes.io/service-account.name'

/** The types that Kubernetes knows promise certain keys; what any other type means is its owner's business. */
export function validateSecretType({ type, data = {}, metadata }: TypedSecret): FieldError[] {
  const missing = (...keys: readonly string[]): FieldError[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`))
  switch (type) {
    case 'kubernetes.io/service-account-token':
      return metadata.annotations?.[serviceAccountName]
        ? []
        : [required(`metadata.annotations[${serviceAccountName}]`)]
    case 'kubernetes.io/dockercfg':
      return jsonObjectAt('.dockercfg', data)
    case 'kubernetes.io/dockerconfigjson':
      return jsonObjectAt('.dockerconfigjson', data)
    case 'kubernetes.io/basic-auth': {
      const both = missing('username', 'password')
      return both.length === 2 ? both : []
    }
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [required('data[ssh-privatekey]')]
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key')
    default:
      return []
  }
}

function jsonObjectAt(key: string, data: Readonly<Record<string, string>>): FieldError[] {
  const path = `data[${key}]`
  const encoded = Object.hasOwn(data, key) ? data[key] : undefined
  if (encoded === undefined) return [required(path)]
  const problem = jsonObjectProblem(new TextDecoder().decode(Uint8Array.fromBase64(encoded)))
  return problem === undefined ? [] : [invalid(path, '<secret contents redacted>', problem)]
}

function jsonObjectProblem(text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return describeMalformedJson(text)
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`
}
