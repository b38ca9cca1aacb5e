import { type EncryptedObject, keyIsDerived, keyIsGiven, type Wrapped } from './kms-messages.ts'

const maxBytes = 1024
const maxAnnotationBytes = 32 * 1024
/** As in kube-apiserver: at least two labels of at most 63 letters each, and optionally a final dot. */
const domainName =
  /^(?=.{1,253}\.?$)[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)+\.?$/

/** Why a key id of a plugin is invalid; undefined if it is valid. */
export function keyIdProblem(keyID: string): string | undefined {
  if (keyID === '') return 'the key_id is empty'
  const bytes = Buffer.byteLength(keyID)
  return bytes > maxBytes ? `the key_id has ${bytes} bytes, and may have ${maxBytes}` : undefined
}

/** The limits of KMS v2: every other server of this kind would refuse values beyond them, too. */
export function wrappedProblem({ ciphertext, keyID, annotations }: Wrapped): string | undefined {
  if (ciphertext.length === 0) return 'the ciphertext is empty'
  if (ciphertext.length > maxBytes)
    return `the ciphertext has ${ciphertext.length} bytes, and may have ${maxBytes}`
  const names = Object.keys(annotations)
  const unnamed = names.find((name) => !domainName.test(name))
  if (unnamed !== undefined) return `the annotation ${JSON.stringify(unnamed)} is no domain name`
  const size = names.reduce((sum, name) => sum + name.length + (annotations[name]?.length ?? 0), 0)
  if (size > maxAnnotationBytes)
    return `the annotations have ${size} bytes, and may have ${maxAnnotationBytes}`
  return keyIdProblem(keyID)
}

export function objectProblem(object: EncryptedObject): string | undefined {
  if (object.source !== keyIsGiven && object.source !== keyIsDerived) {
    return `its kind of key, ${object.source}, is not known here`
  }
  return object.data.length === 0 ? 'it holds no data' : wrappedProblem(object)
}
