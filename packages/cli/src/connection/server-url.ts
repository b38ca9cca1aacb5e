import { InvalidArgumentError } from 'commander'

/** `localhost:6443` would parse as a URL with the protocol localhost, so the scheme is checked first. */
export function isServerUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/** The value of a flag that names one server. */
export function parseServerUrl(text: string): string {
  if (!isServerUrl(text)) {
    throw new InvalidArgumentError('give the address of one server in the form https://host:port.')
  }
  return text.replace(/\/+$/, '')
}
