/** A text without the passwords in URLs. An address may be a part of an error of a client, or of an argument that is shown again. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*):[^\s/]*@/gi, '$1:***@')
    .replaceAll(/([?&](?:password|sslpassword)=)[^\s&]*/gi, '$1***');
}
