/** In place of a mail provider. A run that was cut off sends again, so give the provider a key for each mail. */
export class Mails {
  async send(to: string, text: string): Promise<string> {
    return `to ${to}: ${text}`;
  }
}
