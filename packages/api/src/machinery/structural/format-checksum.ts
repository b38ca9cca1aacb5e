const digitsOf = (text: string): number[] => Array.from(text, Number)

export function isIsbn10(text: string): boolean {
  const kept = text.replace(/[\t\n\f\r -]+/g, '')
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(kept)) return false
  const digits = Array.from(kept, (each) => (each === 'X' ? 10 : Number(each)))
  return digits.reduce((sum, digit, index) => sum + digit * (index + 1), 0) % 11 === 0
}

export function isIsbn13(text: string): boolean {
  const kept = text.replace(/[\t\n\f\r -]+/g, '')
  if (!/^[0-9]{13}$/.test(kept)) return false
  return digitsOf(kept).reduce((sum, digit, index) => sum + digit * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0
}

const cards =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/

/** Whatever is no digit is overlooked; the digits must be a known issuer's and sum up. */
export function isCreditCard(text: string): boolean {
  const kept = text.replace(/[^0-9]+/g, '')
  if (!cards.test(kept)) return false
  const sum = digitsOf(kept)
    .reverse()
    .reduce((total, digit, index) => {
      const value = index % 2 === 0 ? digit : digit * 2
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}
