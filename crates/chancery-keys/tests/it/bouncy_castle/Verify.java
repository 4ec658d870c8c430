import java.nio.charset.StandardCharsets;
import java.security.Security;
import java.util.Base64;
import java.util.Scanner;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.ContentVerifier;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;

/** For each line of input, public key, AlgorithmIdentifier, message and signature in base64: whether the signature is good. */
public class Verify {
    public static void main(String[] arguments) {
        Security.addProvider(new BouncyCastleProvider());
        Scanner lines = new Scanner(System.in, StandardCharsets.US_ASCII);
        while (lines.hasNextLine()) {
            String[] fields = lines.nextLine().split(" ", -1);
            byte[][] bytes = new byte[fields.length][];
            for (int i = 0; i < fields.length; i++) {
                bytes[i] = Base64.getDecoder().decode(fields[i]);
            }
            System.out.println(verify(bytes));
        }
    }

    private static String verify(byte[][] bytes) {
        try {
            ContentVerifier verifier = new JcaContentVerifierProviderBuilder().setProvider("BC")
                .build(SubjectPublicKeyInfo.getInstance(bytes[0]))
                .get(AlgorithmIdentifier.getInstance(bytes[1]));
            verifier.getOutputStream().write(bytes[2]);
            return verifier.verify(bytes[3]) ? "good" : "bad";
        } catch (Exception e) {
            return e.toString().replace('\n', ' ');
        }
    }
}
