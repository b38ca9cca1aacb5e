import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Random } from '@strata/world'
import type { Key } from '../../store/index.ts'
import { nonceBytes, openGcm, sealGcm } from '../aes-gcm.ts'
import { CannotOpen } from '../sealing-key.ts'
import { keyIsDerived } from './kms-messages.ts'

export const seedBytes = 32
const infoBytes = 32

/** Opens and seals with a secret that a KMS has unwrapped: a seed from which each object gets a key of its own, or a key. */
export class DataKey {
  readonly #secret: Uint8Array
  readonly #given: KeyObject | undefined

  constructor(secret: Uint8Array, source: number) {
    if (source === keyIsDerived && secret.length < seedBytes) {
      throw new CannotOpen(`the KMS returned ${secret.length} bytes; a seed has ${seedBytes}`)
    }
    this.#secret = Buffer.from(secret)
    this.#given = source === keyIsDerived ? undefined : createSecretKey(secret)
  }

  /** The standard format: 32 bytes that derive the key, then nonce, ciphertext and tag. */
  seal(plain: Uint8Array, path: Key, random: Random): Buffer {
    const info = random.bytes(infoBytes)
    const nonce = random.bytes(nonceBytes)
    const sealed = sealGcm(this.#derive(info), { reserved: infoBytes, nonce, plain, path })
    sealed.set(info)
    return sealed
  }

  open(data: Uint8Array, path: Key): Buffer {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    if (this.#given) return openGcm(this.#given, bytes, path)
    if (bytes.length < infoBytes) throw new CannotOpen('the stored bytes are cut off')
    return openGcm(this.#derive(bytes.subarray(0, infoBytes)), bytes.subarray(infoBytes), path)
  }

  /** Only the second step of HKDF, as in kube-apiserver: the seed is as random as a key; 32 bytes are its first block. */
  #derive(info: Uint8Array): KeyObject {
    return createSecretKey(createHmac('sha256', this.#secret).update(info).update(one).digest())
  }
}

const one = Buffer.from([1])
