import { MalformedProtobuf, openEnvelope } from '@strata/api'
import { isSealed, sealText, storedTypeIn } from '@strata/server/stored-values'

/** What a stored value says of itself. */
export interface ReadValue {
  readonly form: 'json' | 'protobuf' | 'encrypted' | 'unreadable'
  readonly apiVersion?: string
  readonly kind?: string
  /** Provider, format and name of the encryption key: `aesgcm:v1:key1`. */
  readonly key?: string
  /** Why the version could not be read. */
  readonly because?: string
}

const unreadable: ReadValue = { form: 'unreadable', because: 'neither JSON, nor protobuf, nor encrypted' }

/** `k8s` and a zero byte. */
const isEnvelope = (value: Uint8Array): boolean =>
  value[0] === 0x6b && value[1] === 0x38 && value[2] === 0x73 && value[3] === 0

export function readValue(value: Uint8Array): ReadValue {
  if (isSealed(value)) return { form: 'encrypted', key: sealText(value).replace(/^k8s:enc:|:$/g, '') }
  if (isEnvelope(value)) return readEnvelope(value)
  const type = storedTypeIn(value)
  return type && type.apiVersion !== '' ? { form: 'json', ...type } : unreadable
}

function readEnvelope(value: Uint8Array): ReadValue {
  try {
    const { apiVersion, kind } = openEnvelope(value)
    return apiVersion === '' ? unreadable : { form: 'protobuf', apiVersion, kind }
  } catch (error) {
    if (!(error instanceof MalformedProtobuf)) throw error
    return { form: 'unreadable', because: `its protobuf envelope is damaged: ${error.message}` }
  }
}
