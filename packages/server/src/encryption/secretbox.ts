import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import type { Random } from '@strata/world'
import type { KeyConfiguration } from './configuration.ts'
import { keyId } from './key-id.ts'
import { CannotOpen, prefixOf, type SealingKey } from './sealing-key.ts'

const nonceBytes = 24
const tagBytes = 16

/** XSalsa20 and Poly1305 in NaCl's secretbox format: nonce, tag, ciphertext. */
export function createSecretbox({ name, secret }: KeyConfiguration, random: Random): SealingKey {
  const id = keyId('secretbox', name, secret)
  const prefix = prefixOf('secretbox', name)
  return {
    id,
    prefix,
    seal: (plain) => {
      const nonce = random.bytes(nonceBytes)
      return Buffer.concat([prefix, nonce, xsalsa20poly1305(secret, nonce).encrypt(plain)])
    },
    open: (body) => {
      if (body.length < nonceBytes + tagBytes) throw new CannotOpen('the stored bytes are cut off')
      try {
        const box = xsalsa20poly1305(secret, body.subarray(0, nonceBytes))
        return { value: box.decrypt(body.subarray(nonceBytes)), under: id }
      } catch (error) {
        throw new CannotOpen('authentication failed: another secret has sealed it, or it was changed', {
          cause: error,
        })
      }
    },
  }
}
