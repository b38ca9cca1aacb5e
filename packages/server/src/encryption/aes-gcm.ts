import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import type { Random } from '@strata/world'
import type { Key } from '../store/index.ts'
import type { KeyConfiguration } from './configuration.ts'
import { keyId } from './key-id.ts'
import { CannotOpen, prefixOf, type SealingKey } from './sealing-key.ts'

export const nonceBytes = 12
const tagBytes = 16

/** After `reserved`: nonce, ciphertext, tag. The storage path is authenticated, too. */
export function sealGcm(
  key: KeyObject,
  { reserved, nonce, plain, path }: { reserved: number; nonce: Uint8Array; plain: Uint8Array; path: Key },
): Buffer {
  const cipher = createCipheriv(algorithmOf(key), key, nonce)
  cipher.setAAD(Buffer.from(path))
  const head = reserved + nonceBytes
  const sealed = Buffer.allocUnsafe(head + plain.length + tagBytes)
  sealed.set(nonce, reserved)
  // A stream cipher: the output has the length of the input, and `final` adds nothing.
  sealed.set(cipher.update(plain), head)
  cipher.final()
  sealed.set(cipher.getAuthTag(), head + plain.length)
  return sealed
}

/** Opens bytes that `sealGcm` made. */
export function openGcm(key: KeyObject, body: Buffer, path: Key): Buffer {
  if (body.length < nonceBytes + tagBytes) throw new CannotOpen('the stored bytes are cut off')
  const decipher = createDecipheriv(algorithmOf(key), key, body.subarray(0, nonceBytes))
  decipher.setAAD(Buffer.from(path))
  decipher.setAuthTag(body.subarray(body.length - tagBytes))
  const plain = decipher.update(body.subarray(nonceBytes, body.length - tagBytes))
  try {
    decipher.final()
  } catch (error) {
    throw new CannotOpen(
      'message authentication failed: another secret has sealed it, or it was changed, or copied here from another place',
      { cause: error },
    )
  }
  return plain
}

function algorithmOf(key: KeyObject): 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' {
  if (key.symmetricKeySize === 16) return 'aes-128-gcm'
  return key.symmetricKeySize === 24 ? 'aes-192-gcm' : 'aes-256-gcm'
}

/**
 * AES-GCM with random nonces: one key must not seal more than about four billion objects, as kube-apiserver's documentation says,
 * so it must be rotated now and then.
 */
export function createAesGcm({ name, secret }: KeyConfiguration, random: Random): SealingKey {
  const id = keyId('aesgcm', name, secret)
  const key = createSecretKey(secret)
  const prefix = prefixOf('aesgcm', name)
  return {
    id,
    prefix,
    seal: (plain, path) => {
      const nonce = random.bytes(nonceBytes)
      const sealed = sealGcm(key, { reserved: prefix.length, nonce, plain, path })
      sealed.set(prefix)
      return sealed
    },
    open: (body, path) => ({ value: openGcm(key, body, path), under: id }),
  }
}
