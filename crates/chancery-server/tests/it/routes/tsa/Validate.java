import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.Security;
import java.util.Base64;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.tsp.TimeStampRequest;
import org.bouncycastle.tsp.TimeStampResponse;
import org.bouncycastle.tsp.TimeStampToken;

/**
 * Validates time stamps with Bouncy Castle. Each line of standard input is base64 of a request and of its answer; each
 * line of standard output is good with time and policy, or rejected with the value of failInfo.
 */
public class Validate {
    public static void main(String[] arguments) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] fields = line.split(" ");
            Base64.Decoder base64 = Base64.getDecoder();
            TimeStampRequest request = new TimeStampRequest(base64.decode(fields[0]));
            TimeStampResponse response = new TimeStampResponse(base64.decode(fields[1]));
            TimeStampToken token = response.getTimeStampToken();
            if (token == null) {
                System.out.println("rejected " + response.getFailInfo().intValue() / 128);
                continue;
            }
            response.validate(request);
            X509CertificateHolder signer =
                (X509CertificateHolder) token.getCertificates().getMatches(token.getSID()).iterator().next();
            // Looks at the purpose and the life of the certificate, at ESSCertIDv2 and at the signature.
            token.validate(new JcaSimpleSignerInfoVerifierBuilder().setProvider("BC").build(signer));
            System.out.println(
                "good " + token.getTimeStampInfo().getGenTime().toInstant() + " " + token.getTimeStampInfo().getPolicy());
        }
    }
}
