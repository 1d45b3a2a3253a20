/** Loads the page anew in another tab, where the server may ask for a sign-in. What was typed here stays, and the page goes on. */
export function SignIn() {
  return (
    <a href={location.href} target="_blank" rel="noopener">
      Sign in in another tab
    </a>
  );
}
