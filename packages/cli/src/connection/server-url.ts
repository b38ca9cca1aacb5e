import { InvalidArgumentError } from 'commander'

/** `banana` is no URL, and `localhost:6443` is one, of a protocol that is called localhost. */
export function isServerUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/** Of a flag: one server, by itself. */
export function parseServerUrl(text: string): string {
  if (!isServerUrl(text)) {
    throw new InvalidArgumentError('give the address of one server in the form https://host:port.')
  }
  return text.replace(/\/+$/, '')
}
